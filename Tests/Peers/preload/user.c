/* A program or a plugin that is linked with one OpenSSL: makes a context, has a callback of its own, and lets a key line be written. */
#include <string.h>

const void *TLS_client_method(void);
void *SSL_CTX_new(const void *);
void SSL_CTX_free(void *);
int SSL_do_handshake(void *, const char *);
#ifndef HAS_NO_KEY_LOG
void SSL_CTX_set_keylog_callback(void *, void (*)(const void *, const char *));
void (*SSL_CTX_get_keylog_callback(const void *))(const void *, const char *);

static char last[64];
static void own(const void *session, const char *line) { (void)session; strncpy(last, line, sizeof last - 1); }
#endif

/* Gives what is wrong, or NULL. */
const char *use(const char *line) {
    void *context = SSL_CTX_new(TLS_client_method());
    if (!context) return "no context";
    if (SSL_CTX_new(NULL)) return "a context without a method";
#ifndef HAS_NO_KEY_LOG
    if (SSL_CTX_get_keylog_callback(context)) return "a callback that the program has not set";
    SSL_CTX_set_keylog_callback(context, own);
    if (SSL_CTX_get_keylog_callback(context) != own) return "another callback";
#endif
    SSL_do_handshake(context, line);
#ifndef HAS_NO_KEY_LOG
    if (strcmp(last, line)) return "the program's own callback was not called";
#endif
    SSL_CTX_free(context);
    return NULL;
}

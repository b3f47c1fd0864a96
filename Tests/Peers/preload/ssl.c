/* What stands for an OpenSSL of one version (VERSION 3, 11, or 10 without a key log): as much of it as libunmask-keys.so touches. A context or a method
 * of another one ends the program, as it would end one with the real ones, sooner or later. */
#include <stddef.h>
#include <stdlib.h>

struct method { int version; };
#if VERSION == 3
struct context { void *library; const struct method *method; void (*line)(const void *, const char *); int version; };
#else
struct context { const struct method *method; void *list[3]; void (*line)(const void *, const char *); int version; };
#endif
struct session { struct context *context; };
static const struct method method = {VERSION};

static void check(int is_mine) { if (!is_mine) abort(); }

const void *TLS_client_method(void) { return &method; }

static struct context *make(const void *given) {
    if (!given) return NULL;
    check(given == &method);
    struct context *context = calloc(1, sizeof *context);
    context->method = given;
    context->version = VERSION;
    return context;
}

#if VERSION == 3
struct context *SSL_CTX_new_ex(void *library, const char *properties, const void *given) { (void)library; (void)properties; return make(given); }
struct context *SSL_CTX_new(const void *given) { return SSL_CTX_new_ex(NULL, NULL, given); }
#else
struct context *SSL_CTX_new(const void *given) { return make(given); }
#endif
void SSL_CTX_free(struct context *context) { free(context); }

#if VERSION != 10
const void *SSL_CTX_get_ssl_method(const struct context *context) { return context->method; }
void *SSL_get_SSL_CTX(const struct session *session) { return session->context; }
void SSL_CTX_set_keylog_callback(struct context *context, void (*line)(const void *, const char *)) { check(context->version == VERSION); context->line = line; }
void *SSL_CTX_get_keylog_callback(const struct context *context) { check(context->version == VERSION); return (void *)context->line; }
#endif

/* A handshake, as far as it writes a key line. */
int SSL_do_handshake(struct context *context, const char *line) {
    struct session session = {context};
    check(context->version == VERSION);
    if (context->line) context->line(&session, line);
    return VERSION;
}

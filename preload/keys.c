/* Loaded into a program that `unmask run --watch` starts (LD_PRELOAD): has a dynamic OpenSSL write the keys of its TLS sessions to the file that
 * SSLKEYLOGFILE names, which OpenSSL does not do by itself.
 *
 * It stands before SSL_CTX_new and SSL_CTX_new_ex, and sets a key log callback on each context (SSL_CTX_set_keylog_callback(3)). A callback of the
 * program's own is called too, and is what the program reads back. Nothing is allocated, and no file stays open: a descriptor of ours that the program
 * closes could become a file of its own, with keys in it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef void (*callback)(const SSL *, const char *);

/* The file, as it was named when the program began. */
static char path[4096];

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("SSLKEYLOGFILE");
    if (name && strlen(name) < sizeof path) strcpy(path, name);
}

/* What this thread has called in OpenSSL. */
static __thread void *called;

/* The function of OpenSSL that the caller would have called: that of the library which the caller's own libraries lead to, since it need not be open
 * to all others (Python, Perl), or else the next one. */
static void *next(const char *name, void *caller, void *own) {
    Dl_info place, ours;
    /* SSL_CTX_new ends with a jump to SSL_CTX_new_ex, which comes here as if we had called it. */
    if (dladdr(caller, &place) && dladdr(path, &ours) && place.dli_fbase == ours.dli_fbase) caller = called;
    void *library = dladdr(caller, &place) && place.dli_fname ? dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    return found && found != own ? found : dlsym(RTLD_NEXT, name);
}

/* The callbacks of the program's own. A program has few contexts with one; those beyond the table have theirs instead of ours. */
static struct { SSL_CTX *context; callback function; } own[256];

static int own_place(SSL_CTX *context) {
    for (int index = 0; index < 256; index++)
        if (__atomic_load_n(&own[index].context, __ATOMIC_ACQUIRE) == context) return index;
    return -1;
}

static int add_own(SSL_CTX *context) {
    int index = own_place(context);
    for (int free = 0; index < 0 && free < 256; free++) {
        SSL_CTX *none = NULL;
        if (__atomic_compare_exchange_n(&own[free].context, &none, context, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) index = free;
    }
    return index;
}

/* A line is one write, so that the lines of several processes do not mix. */
static void write_line(const SSL *session, const char *line) {
    int error = errno;
    int file = path[0] ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (file >= 0) {
        struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
        if (writev(file, parts, 2) < 0) { /* The program goes on without this line. */ }
        close(file);
    }
    SSL_CTX *(*context_of)(const SSL *) = next("SSL_get_SSL_CTX", __builtin_return_address(0), NULL);
    int index = context_of ? own_place(context_of(session)) : -1;
    callback function = index >= 0 ? own[index].function : NULL;
    errno = error;
    if (function) function(session, line);
}

static SSL_CTX *watched(SSL_CTX *context, void *caller, void *ours) {
    void (*set)(SSL_CTX *, callback) = context ? next("SSL_CTX_set_keylog_callback", caller, ours) : NULL;
    if (!set) return context;
    /* Another context was at this address before. */
    int index = own_place(context);
    if (index >= 0) own[index].function = NULL;
    set(context, write_line);
    return context;
}

void SSL_CTX_set_keylog_callback(SSL_CTX *context, callback function) {
    int index = add_own(context);
    void (*set)(SSL_CTX *, callback) = next("SSL_CTX_set_keylog_callback", __builtin_return_address(0), SSL_CTX_set_keylog_callback);
    if (index >= 0) own[index].function = function;
    if (set) set(context, index >= 0 ? write_line : function);
}

callback SSL_CTX_get_keylog_callback(const SSL_CTX *context) {
    int index = own_place((SSL_CTX *)context);
    if (index >= 0) return own[index].function;
    callback (*get)(const SSL_CTX *) = next("SSL_CTX_get_keylog_callback", __builtin_return_address(0), SSL_CTX_get_keylog_callback);
    callback function = get ? get(context) : NULL;
    return function == write_line ? NULL : function;
}

SSL_CTX *SSL_CTX_new(const void *method) {
    SSL_CTX *(*make)(const void *) = next("SSL_CTX_new", __builtin_return_address(0), SSL_CTX_new);
    called = (void *)make;
    return make ? watched(make(method), __builtin_return_address(0), SSL_CTX_set_keylog_callback) : NULL;
}

SSL_CTX *SSL_CTX_new_ex(void *library, const char *properties, const void *method) {
    SSL_CTX *(*make)(void *, const char *, const void *) = next("SSL_CTX_new_ex", __builtin_return_address(0), SSL_CTX_new_ex);
    return make ? watched(make(library, properties, method), __builtin_return_address(0), SSL_CTX_set_keylog_callback) : NULL;
}

/* Loaded into a program that `unmask run --watch` starts (LD_PRELOAD): has a dynamic OpenSSL write the keys of its TLS sessions to the file that
 * SSLKEYLOGFILE names, which OpenSSL does not do by itself.
 *
 * It stands before SSL_CTX_new and SSL_CTX_new_ex, and sets a key log callback on each context (SSL_CTX_set_keylog_callback(3)). A callback of the
 * program's own is called too, and is what the program reads back. Nothing is allocated.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef void (*callback)(const SSL *, const char *);

/* The file, as it was named and as it was when the program began: the name may become that of another one later, and a descriptor that the program
 * closes may become one of its own files. Neither gets keys. */
static char path[4096];
static int file = -1;
static struct stat begun;

static int is_ours(int descriptor) {
    struct stat now;
    return fstat(descriptor, &now) == 0 && now.st_dev == begun.st_dev && now.st_ino == begun.st_ino && now.st_uid == begun.st_uid;
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("SSLKEYLOGFILE");
    if (!name || strlen(name) >= sizeof path) return;
    int error = errno;
    int opened = open(name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (opened >= 0 && fstat(opened, &begun) == 0) {
        strcpy(path, name);
        /* Out of the way of programs that expect the lowest numbers. */
        file = fcntl(opened, F_DUPFD_CLOEXEC, 200);
    }
    if (opened >= 0) close(opened);
    errno = error;
}

/* What this thread has called in OpenSSL. */
static __thread void *called __attribute__((tls_model("initial-exec")));

static void *in_library(const char *library, const char *name, void *own) {
    void *handle = library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle) dlclose(handle);
    return found == own ? NULL : found;
}

static void *in_library_of(void *place, const char *name, void *own) {
    Dl_info info;
    return place && dladdr(place, &info) ? in_library(info.dli_fname, name, own) : NULL;
}

struct search { const char *name; void *own; void *found; };

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct search *search = data;
    (void)size;
    if (info->dlpi_name && strstr(info->dlpi_name, "libssl.so")) search->found = in_library(info->dlpi_name, search->name, search->own);
    return search->found != NULL;
}

/* The function of OpenSSL that the caller would have called: the next one; or that of the library which the caller's own libraries lead to, which need
 * not be open to all others (Python, Perl); or that of a libssl that the program has loaded by itself. */
static void *next(const char *name, void *caller, void *own) {
    Dl_info place, ours;
    void *found = NULL;
    /* SSL_CTX_new ends with a jump to SSL_CTX_new_ex, which comes here as if we had called it. */
    if (dladdr(caller, &place) && dladdr(path, &ours) && place.dli_fbase == ours.dli_fbase) found = in_library_of(called, name, own);
    if (!found) found = dlsym(RTLD_NEXT, name);
    if (!found) found = in_library_of(caller, name, own);
    if (!found) {
        struct search search = {name, own, NULL};
        dl_iterate_phdr(look, &search);
        found = search.found;
    }
    return found;
}

/* The callbacks of the program's own. Contexts beyond the table have theirs instead of ours. */
enum { most = 4096 };
static struct { SSL_CTX *context; callback function; } own[most];
static int used;

static int own_place(SSL_CTX *context) {
    int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    for (int index = 0; index < count && index < most; index++)
        if (__atomic_load_n(&own[index].context, __ATOMIC_ACQUIRE) == context) return index;
    return -1;
}

static int add_own(SSL_CTX *context) {
    int index = own_place(context);
    if (index >= 0 || __atomic_load_n(&used, __ATOMIC_ACQUIRE) >= most) return index;
    index = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
    if (index >= most) return -1;
    __atomic_store_n(&own[index].context, context, __ATOMIC_RELEASE);
    return index;
}

/* A line is one write, so that the lines of several processes do not mix. A limit on the size of files must not end the program. */
static void write_to_file(const char *line) {
    int target = file;
    if (target < 0 || !is_ours(target)) {
        target = path[0] ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
        if (target < 0) return;
        if (!is_ours(target)) {
            close(target);
            return;
        }
    }
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigaddset(&limit, SIGPIPE);
    sigpending(&pending);
    if (pthread_sigmask(SIG_BLOCK, &limit, &before) == 0) {
        struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
        if (writev(target, parts, 2) < 0 && (errno == EFBIG || errno == EPIPE)) {
            int number = errno == EFBIG ? SIGXFSZ : SIGPIPE;
            struct timespec none = {0, 0};
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, number);
            if (!sigismember(&pending, number)) sigtimedwait(&one, NULL, &none);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (target != file) close(target);
}

static void write_line(const SSL *session, const char *line) {
    int error = errno;
    if (path[0]) write_to_file(line);
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
    return make ? watched(make(method), (void *)make, SSL_CTX_set_keylog_callback) : NULL;
}

SSL_CTX *SSL_CTX_new_ex(void *library, const char *properties, const void *method) {
    SSL_CTX *(*make)(void *, const char *, const void *) = next("SSL_CTX_new_ex", __builtin_return_address(0), SSL_CTX_new_ex);
    return make ? watched(make(library, properties, method), (void *)make, SSL_CTX_set_keylog_callback) : NULL;
}

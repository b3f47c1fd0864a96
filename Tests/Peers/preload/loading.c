/* loading LIBSSL OTHER: opens OpenSSL itself and makes contexts, and has key lines written, while another thread loads and unloads a library. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *load(void *name) {
    for (int index = 0; index < 20000; index++) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library) dlclose(library);
    }
    return NULL;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    void *library = dlopen(words[1], RTLD_LAZY | RTLD_LOCAL);
    if (!library) return 3;
    const void *(*method)(void) = (const void *(*)(void))dlsym(library, "TLS_client_method");
    void *(*make)(const void *) = (void *(*)(const void *))dlsym(library, "SSL_CTX_new");
    void (*end)(void *) = (void (*)(void *))dlsym(library, "SSL_CTX_free");
    int (*shake)(void *, const char *) = (int (*)(void *, const char *))dlsym(library, "SSL_do_handshake");
    pthread_t loader;
    pthread_create(&loader, NULL, load, words[2]);
    for (int index = 0; index < 2000; index++) {
        void *context = make(method());
        shake(context, "CLIENT_RANDOM while loading");
        end(context);
    }
    pthread_join(loader, NULL);
    /* What the loader said last is the program's own. */
    dlerror();
    void *context = make(method());
    shake(context, "CLIENT_RANDOM at the end");
    puts(dlerror() ? "an error of the loader" : "ok");
    return 0;
}

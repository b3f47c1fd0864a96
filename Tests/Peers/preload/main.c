/* main PLUGIN LINE …: has each plugin use its OpenSSL, and with -DLINKED uses one itself before and after that. */
#include <dlfcn.h>
#include <stdio.h>

const char *use(const char *);

static int say(const char *who, const char *wrong) {
    if (wrong) printf("%s: %s\n", who, wrong);
    return wrong != NULL;
}

int main(int count, char **words) {
    int wrong = 0;
#ifdef LINKED
    wrong += say("main", use("CLIENT_RANDOM main before"));
#endif
    for (int index = 1; index + 1 < count; index += 2) {
        void *plugin = dlopen(words[index], RTLD_NOW | RTLD_LOCAL);
        const char *(*used)(const char *) = plugin ? (const char *(*)(const char *))dlsym(plugin, "use") : NULL;
        wrong += say(words[index], used ? used(words[index + 1]) : dlerror());
    }
#ifdef LINKED
    wrong += say("main", use("CLIENT_RANDOM main after"));
#endif
    puts(wrong ? "wrong" : "ok");
    return wrong;
}

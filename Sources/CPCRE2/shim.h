#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// PCRE2 names its functions through macros that take the width of a code unit, which Swift does not see through.
static inline pcre2_code_8 *unmask_pcre2_compile(
    const unsigned char *pattern, size_t length, uint32_t options, int *error, size_t *offset) {
    return pcre2_compile_8(pattern, length, options, error, offset, (pcre2_compile_context_8 *)0);
}

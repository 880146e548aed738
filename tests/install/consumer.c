/* consumer.c - the smallest user of the library, in C and in C++: prints the version and makes a context. */
#include <myriad/myriad.h>
#include <stdio.h>

int main(void)
{
    myr_context *context = NULL;
    if (myr_context_create(&context) != MYR_OK)
        return 1;
    puts(myr_version());
    myr_context_destroy(&context);
    return 0;
}

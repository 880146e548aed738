/* names.c - words of messages: the name in a list that is nearest to a misspelt one, and the ending of plurals. */
#include <string.h>

#include <myriad/catalogue.h>
#include <myriad/context.h>

enum { MYR_NAME_MAX = 64 };

/* Optimal string alignment distance: insertions, deletions, substitutions and transpositions of neighbours. Returns
 * MYR_NAME_MAX if either name is longer than MYR_NAME_MAX. */
static int names_distance(const char *a, const char *b)
{
    const size_t na = strlen(a), nb = strlen(b);
    int row[3][MYR_NAME_MAX + 1];
    if (na > MYR_NAME_MAX || nb > MYR_NAME_MAX)
        return MYR_NAME_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *myr_nearest(const char *typed, const char *(*next)(int k))
{
    const char *nearest = NULL, *name;
    int least = MYR_NAME_MAX;
    if (!typed || !next)
        return NULL;
    for (int k = 0; (name = next(k)); k++) {
        int distance = names_distance(typed, name);
        /* a prefix of at least three letters has distance 1, so that "grav" suggests gravity */
        if (strlen(typed) >= 3 && strncmp(typed, name, strlen(typed)) == 0)
            distance = 1;
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return least <= 1 + (int)strlen(typed) / 3 ? nearest : NULL;
}

const char *myr_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* none.c - a shared object that is no plug-in of NEMO. */
int none(void);
int none(void)
{
    return 0;
}

/* Stands for libcuda.so.1, the library of NVIDIA's driver, in the test of what
   is said about drivers. The environment tells its version and what its
   initialisation answers: FAKE_DRIVER_VERSION, FAKE_DRIVER_STATUS. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static int
setting(const char *name)
{
  const char *value = getenv(name);
  return value ? atoi(value) : 0;
}

int
cuDriverGetVersion(int *version)
{
  *version = setting("FAKE_DRIVER_VERSION");
  return 0;
}

int
cuInit(unsigned int flags)
{
  (void)flags;
  return setting("FAKE_DRIVER_STATUS");
}

int
cuGetProcAddress_v2(const char        *symbol,
                    void             **function,
                    int                version,
                    unsigned long long flags,
                    int               *status)
{
  void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  (void)version;
  (void)flags;
  *function = self ? dlsym(self, symbol) : NULL;
  if (status)
    *status = *function ? 0 : 1;
  return *function ? 0 : 500; /* not found */
}

int
cuGetProcAddress(const char        *symbol,
                 void             **function,
                 int                version,
                 unsigned long long flags)
{
  return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

# The sources of the CUDA module.
set(EVERGREEN_CUDA_SOURCES
  module.cu
  probe.cu)

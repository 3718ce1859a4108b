# The sources of the CUDA module.
set(EVERGREEN_CUDA_SOURCES
  device.cu
  evaluator.cu
  module.cu
  pointwise_engine.cu
  projector.cu
  slices.cu)

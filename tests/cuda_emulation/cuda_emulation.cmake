# The CUDA sources on the processor: compiled by the C++ compiler against the
# stand-ins in this folder, and linked into the test program tests_cuda.
include(${PROJECT_SOURCE_DIR}/source/cuda/sources.cmake)
list(TRANSFORM EVERGREEN_CUDA_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/source/cuda/
  OUTPUT_VARIABLE _emulated_sources)
set_source_files_properties(${_emulated_sources} PROPERTIES
  LANGUAGE CXX COMPILE_OPTIONS "-x;c++;-Wno-unknown-pragmas")

add_library(cuda_emulated OBJECT
  ${_emulated_sources}
  cuda_emulation/cublas.cc
  cuda_emulation/emulation.cc
  cuda_emulation/fibres.cc)
target_include_directories(cuda_emulated PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda_emulation
  ${PROJECT_SOURCE_DIR}/include
  ${CMAKE_BINARY_DIR}/include)
# Stacks are switched by jumps, which the C library would take for a mistake.
target_compile_options(cuda_emulated PRIVATE
  -O2 $<$<BOOL:${EVERGREEN_SANITIZE}>:-O1> -U_FORTIFY_SOURCE)

evergreen_test_program(tests_cuda
  $<TARGET_OBJECTS:cuda_emulated>
  cuda/emulation.cc
  cuda/engine.cc
  cuda/failures.cc
  cuda_emulation/backends.cc
  cuda_emulation/probe.cc
  dictionary/evaluator.cc
  greedy/fundamental.cc
  greedy/kernel_greedy.cc
  greedy/pointwise_greedy.cc
  mpi/learner.cc)
target_include_directories(tests_cuda PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda_emulation)

# Every order of threads must give the same. Under the sanitizers, which make
# every change of threads ten times as slow, one order has to do, and the tests
# that are short.
set(_orders forward reverse random)
set(_filter "*/cuda:Cuda*:Emulation.*-*Distributed*")
if(EVERGREEN_SANITIZE)
  set(_orders random)
  set(_filter "*EvaluatorTest*/cuda:*KernelGreedyTest*/cuda:Cuda*:Emulation.*-*MemoryIs*:*FirstOfEquals*")
endif()
foreach(_order ${_orders})
  add_test(NAME cuda-emulation/${_order}
    COMMAND tests_cuda --gtest_filter=${_filter})
  set_tests_properties(cuda-emulation/${_order} PROPERTIES
    LABELS cuda-emulation
    ENVIRONMENT "EVERGREEN_EMULATION_ORDER=${_order}")
endforeach()
add_test(NAME cuda-emulation/mpi
  COMMAND ${MPIEXEC_EXECUTABLE} -n 2 $<TARGET_FILE:tests_cuda>
    --gtest_filter=*DistributedLearnerTest*/cuda)
set_tests_properties(cuda-emulation/mpi PROPERTIES
  LABELS cuda-emulation PROCESSORS 2
  ENVIRONMENT "${EVERGREEN_MPI_ENVIRONMENT}")

# Whether the CUDA backend is built, and with which compiler: sets
# EVERGREEN_BUILDS_CUDA and enables the language. Included at top level.
set(EVERGREEN_WITH_CUDA AUTO CACHE STRING
  "The CUDA backend: AUTO (if nvcc is found), ON (or fail) or OFF")
set_property(CACHE EVERGREEN_WITH_CUDA PROPERTY STRINGS AUTO ON OFF)
# Turing, Ampere with Ada, Hopper; anything newer translates the last one's PTX
# when it starts. Every entry costs compile time.
set(EVERGREEN_CUDA_ARCHITECTURES "75-real;80-real;90" CACHE STRING
  "The GPU architectures, as in CMAKE_CUDA_ARCHITECTURES; 75 is the oldest")

if(NOT EVERGREEN_WITH_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "EVERGREEN_WITH_CUDA is '${EVERGREEN_WITH_CUDA}': "
    "choose AUTO, ON or OFF.")
endif()
foreach(_architecture ${EVERGREEN_CUDA_ARCHITECTURES})
  string(REGEX MATCH "^[0-9]+" _number "${_architecture}")
  if(NOT _number GREATER_EQUAL 75)
    message(FATAL_ERROR "EVERGREEN_CUDA_ARCHITECTURES has '${_architecture}': "
      "use numbers from 75 on, such as 75-real;80-real;90.")
  endif()
endforeach()

# evergreen_find_cuda(PROBLEM): looks for a working compiler and for cuBLAS;
# says in the variable PROBLEM what is missing.
macro(evergreen_find_cuda problem)
  set(${problem} "")
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE) # left behind by a failed check
    if(NOT "$ENV{CUDACXX}" STREQUAL "")
      set(EVERGREEN_NVCC $ENV{CUDACXX})
    else()
      find_program(EVERGREEN_NVCC nvcc
        HINTS ${CUDAToolkit_ROOT} ENV CUDA_HOME ENV CUDA_PATH
        PATHS /usr/local/cuda PATH_SUFFIXES bin)
      mark_as_advanced(EVERGREEN_NVCC)
    endif()
    if(EVERGREEN_NVCC)
      set(ENV{CUDACXX} ${EVERGREEN_NVCC})
      include(CheckLanguage)
      check_language(CUDA)
    endif()
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND NOT EVERGREEN_NVCC)
    set(${problem} "nvcc was not found: install the CUDA Toolkit, or name \
the compiler with -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
  elseif(NOT CMAKE_CUDA_COMPILER)
    set(${problem} "${EVERGREEN_NVCC} does not work (logs in CMakeFiles/): \
perhaps it does not know this C++ compiler; name an older one with \
-DCMAKE_CUDA_HOST_COMPILER=g++-11")
  else()
    # deal.II's configuration leaves this empty, which CMake does not accept.
    set(CMAKE_CUDA_ARCHITECTURES ${EVERGREEN_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    find_package(CUDAToolkit)
    if(NOT TARGET CUDA::cublas)
      set(${problem} "cuBLAS was not found beside ${CMAKE_CUDA_COMPILER}")
    endif()
  endif()
endmacro()

set(EVERGREEN_BUILDS_CUDA OFF)
if(NOT EVERGREEN_WITH_CUDA STREQUAL "OFF")
  evergreen_find_cuda(_problem)
  if(_problem STREQUAL "")
    set(EVERGREEN_BUILDS_CUDA ON)
    message(STATUS "CUDA backend: ${CMAKE_CUDA_COMPILER} "
      "${CMAKE_CUDA_COMPILER_VERSION}, ${EVERGREEN_CUDA_ARCHITECTURES}")
  elseif(EVERGREEN_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "EVERGREEN_WITH_CUDA is ON, but ${_problem}.")
  else()
    message(STATUS "CUDA backend: not built, because ${_problem}")
  endif()
else()
  message(STATUS "CUDA backend: not built, because EVERGREEN_WITH_CUDA is OFF")
endif()
# For scripts, which read the cache.
set(EVERGREEN_BUILDS_CUDA ${EVERGREEN_BUILDS_CUDA} CACHE INTERNAL "")

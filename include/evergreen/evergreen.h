// The public face of the library: all that a program needs that learns a kernel
// and uses it. The rooms have more headers for those who need a part only.

#ifndef evergreen_evergreen_h
#define evergreen_evergreen_h

// First, as it makes the same code work with several releases of deal.II.
#include <evergreen/base/compat.h>

// The frame of programs: parameters, errors, files.
#include <evergreen/base/blas.h>
#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/base/program.h>
#include <evergreen/base/random.h>
#include <evergreen/configuration.h>
#include <evergreen/dataset_space.h>

// Meshes, finite element spaces and problems on them.
#include <evergreen/fem/boundary_problem.h>
#include <evergreen/fem/elliptic.h>
#include <evergreen/fem/functions.h>
#include <evergreen/fem/galerkin_problem.h>
#include <evergreen/fem/linear_problem.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/fem/space.h>

// Pairs of forcings and solutions, in memory and in files.
#include <evergreen/data/generator.h>
#include <evergreen/data/samples.h>

// Learning kernels, and what they are as functions.
#include <evergreen/kernel/errors.h>
#include <evergreen/kernel/kernel_function.h>
#include <evergreen/learning/learner.h>

// Kernels as solvers and preconditioners.
#include <evergreen/surrogate/checked_solver.h>
#include <evergreen/surrogate/greens_preconditioner.h>
#include <evergreen/surrogate/surrogate_solver.h>

// Twins: coarse solvers with the accuracy of a fine one.
#include <evergreen/twin/twin.h>

#endif

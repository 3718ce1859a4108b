// Checks of the C library against jumps to other stacks are what is done here.
#undef _FORTIFY_SOURCE

#include "fibres.h"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdlib>
#include <memory>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#  include <sanitizer/common_interface_defs.h>
#endif

namespace Emulation
{
  namespace
  {
    constexpr std::size_t stack_bytes = std::size_t(256) << 10;

    // Who resumed the running fibre.
#if defined(__SANITIZE_ADDRESS__)
    ucontext_t  caller_context;
    const void *caller_stack = nullptr;
    std::size_t caller_size  = 0;
#else
    jmp_buf caller_jump;
#endif
  } // namespace


  struct Fibre::Context
  {
    const std::function<void()> *function    = nullptr;
    bool                         is_finished = true;
    bool                         is_begun    = false;
    std::unique_ptr<char[]>      stack;
    ucontext_t                   context;
    jmp_buf                      jump;
    void                        *fake_stack = nullptr;

    static Context *running;

    // The bottom of the fibre's stack: one function after the other.
    static void
    main()
    {
#if defined(__SANITIZE_ADDRESS__)
      __sanitizer_finish_switch_fiber(nullptr, &caller_stack, &caller_size);
#endif
      for (;;)
        {
          (*running->function)();
          running->is_finished = true;
          pause();
        }
    }
  };

  Fibre::Context *Fibre::Context::running = nullptr;


  Fibre::Fibre() : context(new Context)
  {
    context->stack.reset(new char[stack_bytes]);
    getcontext(&context->context);
    context->context.uc_stack.ss_sp   = context->stack.get();
    context->context.uc_stack.ss_size = stack_bytes;
    context->context.uc_link          = nullptr;
    makecontext(&context->context, &Context::main, 0);
  }


  Fibre::~Fibre() = default;


  void
  Fibre::start(const std::function<void()> *function)
  {
    context->function    = function;
    context->is_finished = false;
  }


  bool
  Fibre::finished() const
  {
    return context->is_finished;
  }


  // The address sanitizer must be told of every change of stacks, for which
  // swapcontext() is the clean way. Otherwise only the first step is one: it
  // calls the system, and a jump does not.
#if defined(__SANITIZE_ADDRESS__)
  void
  Fibre::resume()
  {
    Context::running = context.get();
    void *fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack,
                                   context->stack.get(),
                                   stack_bytes);
    swapcontext(&caller_context, &context->context);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  }


  void
  Fibre::pause()
  {
    Context *const self = Context::running;
    __sanitizer_start_switch_fiber(&self->fake_stack,
                                   caller_stack,
                                   caller_size);
    swapcontext(&self->context, &caller_context);
    __sanitizer_finish_switch_fiber(self->fake_stack,
                                    &caller_stack,
                                    &caller_size);
  }
#else
  void
  Fibre::resume()
  {
    Context::running = context.get();
    if (_setjmp(caller_jump) != 0)
      return;
    if (!Context::running->is_begun)
      {
        Context::running->is_begun = true;
        setcontext(&Context::running->context);
      }
    else
      _longjmp(Context::running->jump, 1);
  }


  void
  Fibre::pause()
  {
    if (_setjmp(Context::running->jump) == 0)
      _longjmp(caller_jump, 1);
  }
#endif
} // namespace Emulation

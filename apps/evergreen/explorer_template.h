// The explorer's page without data, which the build makes of apps/explorer.

#ifndef evergreen_app_explorer_template_h
#define evergreen_app_explorer_template_h

namespace Evergreen
{
  /** An HTML file; empty if this build has none. */
  extern const char *const explorer_template;

  /** Why there is none, in a few words. */
  extern const char *const explorer_obstacle;
} // namespace Evergreen

#endif

# Writes OUTPUT, a header with the name that git gives to the sources in SOURCE;
# only if it changed, so that nothing is compiled in vain.
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE _commit OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET RESULT_VARIABLE _status)
if(NOT _status EQUAL 0)
  set(_commit unknown)
endif()
set(_text "// Made by the build: which sources it is made of.

#define EVERGREEN_COMMIT \"${_commit}\"
")
set(_old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} _old)
endif()
if(NOT _old STREQUAL _text)
  file(WRITE ${OUTPUT} "${_text}")
endif()

# cmake -DNODE=... -DNPM=... -DSOURCE=... -DBINARY=... -DOUTPUT=... -P bundle.cmake
# Makes the explorer's page in the build directory and writes it as a C++ file;
# whatever fails ends in a file with an empty page and the reason.

# leave_out(REASON): the page is missing, the rest is built.
function(leave_out reason)
  message("The explorer is left out: ${reason}.")
  file(WRITE ${OUTPUT} "#include \"explorer_template.h\"
const char *const Evergreen::explorer_template = \"\";
const char *const Evergreen::explorer_obstacle = \"${reason}\";
")
endfunction()

foreach(_program NODE NPM)
  if(NOT ${_program})
    string(TOLOWER ${_program} _name)
    leave_out("'${_name}' was not found when it was built")
    return()
  endif()
endforeach()

# npm works on a copy, so that nothing is written beside the sources.
file(REMOVE_RECURSE ${BINARY}/page/src ${BINARY}/page/test)
file(COPY ${SOURCE}/src ${SOURCE}/test ${SOURCE}/build.mjs ${SOURCE}/package.json
  ${SOURCE}/package-lock.json ${SOURCE}/tsconfig.json DESTINATION ${BINARY}/page)
set(_installed ${BINARY}/page/node_modules/.package-lock.json)
if(NOT EXISTS ${_installed}
   OR ${SOURCE}/package-lock.json IS_NEWER_THAN ${_installed})
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
      --fetch-timeout=30000 --fetch-retries=1
    WORKING_DIRECTORY ${BINARY}/page
    RESULT_VARIABLE _status OUTPUT_QUIET ERROR_VARIABLE _error)
  if(NOT _status EQUAL 0)
    message("${_error}")
    leave_out("npm could not install the packages that bundle it")
    return()
  endif()
endif()
execute_process(
  COMMAND ${NODE} build.mjs ${BINARY}/explorer.html ${OUTPUT}
  WORKING_DIRECTORY ${BINARY}/page
  RESULT_VARIABLE _status)
if(NOT _status EQUAL 0)
  message(FATAL_ERROR "The explorer's page could not be made (see above).")
endif()

# cmake -DFROM=... -DTO=... -P: a generated header without its comments, written
# only where that differs. A changed summary of a record then compiles nothing.
file(READ ${FROM} text)
string(REGEX REPLACE "\n *//[^\n]*" "" text "${text}")
set(old "")
if(EXISTS ${TO})
  file(READ ${TO} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${TO} "${text}")
endif()

# SPDX-License-Identifier: GPL-3.0-or-later
# WiredTiger::WiredTiger, the library that tools/wiredtiger builds once and keeps outside the build folder: static, but
# shared under ThreadSanitizer (tests/sanitizers/thread.cpp).
# Configuring builds it when it is missing; after that the script only answers where it is.

set(partita_wiredtiger_script "${CMAKE_CURRENT_LIST_DIR}/../wiredtiger")

set(partita_wiredtiger_kind "")
set(partita_wiredtiger_file libwiredtiger.a)
if(PARTITA_SANITIZE MATCHES thread)
  set(partita_wiredtiger_kind shared)
  set(partita_wiredtiger_file libwiredtiger.so)
endif()

execute_process(
  COMMAND "${partita_wiredtiger_script}" ${partita_wiredtiger_kind}
  OUTPUT_VARIABLE partita_wiredtiger_answer
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE partita_wiredtiger_status)
if(NOT partita_wiredtiger_status EQUAL 0)
  message(FATAL_ERROR "tools/wiredtiger failed; it says above what to do.")
endif()
string(REGEX REPLACE ".*\n" "" partita_wiredtiger_dir "${partita_wiredtiger_answer}")

# Built with snappy and zstd inside, which it leaves for its user to link.
find_library(SNAPPY_LIBRARY snappy REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_package(Threads REQUIRED)

add_library(WiredTiger::WiredTiger UNKNOWN IMPORTED GLOBAL)
set_target_properties(WiredTiger::WiredTiger PROPERTIES
  IMPORTED_LOCATION "${partita_wiredtiger_dir}/lib/${partita_wiredtiger_file}"
  INTERFACE_INCLUDE_DIRECTORIES "${partita_wiredtiger_dir}/include"
  INTERFACE_LINK_LIBRARIES "${SNAPPY_LIBRARY};${ZSTD_LIBRARY};Threads::Threads;${CMAKE_DL_LIBS}")

# Other flags mean another directory; and when the cache has been emptied, the next build fills it again.
set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${partita_wiredtiger_script}" "${partita_wiredtiger_dir}/lib/${partita_wiredtiger_file}")
message(STATUS "WiredTiger: ${partita_wiredtiger_dir}")

# SPDX-License-Identifier: GPL-3.0-or-later
# WiredTiger::WiredTiger, the static library that tools/wiredtiger builds once and keeps outside the build folder.
# Configuring builds it when it is missing; after that the script only answers where it is.

set(partita_wiredtiger_script "${CMAKE_CURRENT_LIST_DIR}/../wiredtiger")

execute_process(
  COMMAND "${partita_wiredtiger_script}"
  OUTPUT_VARIABLE partita_wiredtiger_answer
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE partita_wiredtiger_status)
if(NOT partita_wiredtiger_status EQUAL 0)
  message(FATAL_ERROR "tools/wiredtiger failed; it says above what to do.")
endif()
string(REGEX REPLACE ".*\n" "" partita_wiredtiger_dir "${partita_wiredtiger_answer}")

# Built with snappy and zstd inside, which a static library leaves for its user to link.
find_library(SNAPPY_LIBRARY snappy REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_package(Threads REQUIRED)

add_library(WiredTiger::WiredTiger STATIC IMPORTED GLOBAL)
set_target_properties(WiredTiger::WiredTiger PROPERTIES
  IMPORTED_LOCATION "${partita_wiredtiger_dir}/lib/libwiredtiger.a"
  INTERFACE_INCLUDE_DIRECTORIES "${partita_wiredtiger_dir}/include"
  INTERFACE_LINK_LIBRARIES "${SNAPPY_LIBRARY};${ZSTD_LIBRARY};Threads::Threads;${CMAKE_DL_LIBS}")

# Other flags mean another directory; and when the cache has been emptied, the next build fills it again.
set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${partita_wiredtiger_script}" "${partita_wiredtiger_dir}/lib/libwiredtiger.a")
message(STATUS "WiredTiger: ${partita_wiredtiger_dir}")

// SPDX-License-Identifier: GPL-3.0-or-later
// Asio's own code, compiled here once (BOOST_ASIO_SEPARATE_COMPILATION) instead of in every file that uses it.
#include <boost/asio/impl/src.hpp>

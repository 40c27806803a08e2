// SPDX-License-Identifier: GPL-3.0-or-later
// Empty: the precompiled header needs a target to belong to.

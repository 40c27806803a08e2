// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/error/status.h"

namespace partita {

std::string code_name(Code code) {
  switch (code) {
#define ERROR_CODE(name, number, labels) \
  case Code::name:                       \
    return #name;
#include "wire/error/codes.def"
#undef ERROR_CODE
  }
  return "Location" + std::to_string(static_cast<std::int32_t>(code));
}

ErrorLabels error_labels(Code code) {
  switch (code) {
#define ERROR_CODE(name, number, labels) \
  case Code::name:                       \
    return ErrorLabels::labels;
#include "wire/error/codes.def"
#undef ERROR_CODE
  }
  return ErrorLabels::kNone;
}

Status::Status(Code code, std::string message)
    : failure_(code == Code::OK ? nullptr : std::make_unique<Failure>(Failure{code, std::move(message), {}})) {}

Status::Status(const Status& other) : failure_(other.ok() ? nullptr : std::make_unique<Failure>(*other.failure_)) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) failure_ = other.ok() ? nullptr : std::make_unique<Failure>(*other.failure_);
  return *this;
}

const std::string& Status::message() const {
  static const std::string kEmpty;
  return ok() ? kEmpty : failure_->message;
}

const std::vector<std::uint8_t>& Status::details() const {
  static const std::vector<std::uint8_t> kEmpty;
  return ok() ? kEmpty : failure_->details;
}

Status&& Status::with_details(std::vector<std::uint8_t> document) && {
  if (!ok()) failure_->details = std::move(document);
  return std::move(*this);
}

Status&& Status::with_context(std::string_view context) && {
  if (!ok()) failure_->message.insert(0, context);
  return std::move(*this);
}

}  // namespace partita

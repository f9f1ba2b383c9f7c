// SPDX-License-Identifier: Apache-2.0
// The page of `/`: the build makes it of page/chat.html.
#ifndef OW_API_SRC_CHAT_PAGE_H_
#define OW_API_SRC_CHAT_PAGE_H_

namespace ow::api {

extern const char* const kChatPage;

}  // namespace ow::api

#endif  // OW_API_SRC_CHAT_PAGE_H_

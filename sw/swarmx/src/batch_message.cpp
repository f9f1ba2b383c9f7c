// SPDX-License-Identifier: Apache-2.0
#include "batch_message.h"

#include "ow/base/error.h"
#include "ow/ranks/bytes.h"

namespace ow::swarmx {

using memoryx::WaveletBatch;

ranks::Message pack_batch(const WaveletBatch& batch, bool last) {
  ranks::Writer out;
  out.put<uint8_t>(last ? 1 : 0);
  out.put(static_cast<uint64_t>(batch.step));
  out.put(static_cast<uint32_t>(batch.rows.size()));
  for (const memoryx::Wavelets& row : batch.rows) {
    std::vector<uint32_t> data(row.size());
    std::vector<uint8_t> controls((row.size() + 7) / 8);
    for (size_t i = 0; i < row.size(); ++i) {
      data[i] = row[i].data;
      if (row[i].ctrl) controls[i / 8] = static_cast<uint8_t>(controls[i / 8] | 1u << i % 8);
    }
    out.put(static_cast<uint32_t>(row.size()));
    out.put(data.data(), data.size());
    out.put(controls.data(), controls.size());
  }
  return out.take();
}

std::shared_ptr<const WaveletBatch> unpack_batch(const ranks::Message& message, size_t rows,
                                                 bool* last) {
  ranks::Reader in(message);
  *last = in.get<uint8_t>() != 0;
  auto batch = std::make_shared<WaveletBatch>();
  batch->step = in.get<uint64_t>();
  if (in.get<uint32_t>() != rows) throw ProtocolError("a stream for another number of grid rows");
  batch->rows.resize(rows);
  for (memoryx::Wavelets& row : batch->rows) {
    const size_t count = in.get<uint32_t>();
    if (count > message.size()) throw ProtocolError("a batch of more wavelets than bytes");
    std::vector<uint32_t> data(count);
    std::vector<uint8_t> controls((count + 7) / 8);
    in.get(data.data(), data.size());
    in.get(controls.data(), controls.size());
    row.resize(count);
    for (size_t i = 0; i < count; ++i) {
      row[i] = {0, (controls[i / 8] >> i % 8 & 1) != 0, data[i]};
    }
  }
  in.close();
  return batch;
}

}  // namespace ow::swarmx

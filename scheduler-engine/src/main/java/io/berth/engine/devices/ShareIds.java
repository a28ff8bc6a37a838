package io.berth.engine.devices;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The identifiers of parts of shared devices. They follow from the claim, so that none is drawn.
 */
final class ShareIds {
  private ShareIds() {}

  /** Returns the allocation with identifiers for the parts of shared devices. */
  static DeviceAllocation in(DeviceAllocation allocation, String claim) {
    if (allocation.results().stream().allMatch(result -> result.shareId().isEmpty())) {
      return allocation;
    }
    List<DeviceAllocation.Result> results = new ArrayList<>();
    for (int i = 0; i < allocation.results().size(); i++) {
      DeviceAllocation.Result of = allocation.results().get(i);
      String text = claim + "/" + i + "/" + of.device();
      results.add(
          of.shareId().isEmpty()
              ? of
              : new DeviceAllocation.Result(
                  of.request(),
                  of.device(),
                  of.adminAccess(),
                  of.tolerations(),
                  Optional.of(
                      UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString()),
                  of.consumed(),
                  of.bindingConditions(),
                  of.bindingFailureConditions()));
    }
    return new DeviceAllocation(results, allocation.config(), allocation.nodes());
  }
}

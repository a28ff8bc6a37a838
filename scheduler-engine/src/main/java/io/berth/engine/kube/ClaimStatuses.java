package io.berth.engine.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.devices.DeviceToleration;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.quantity.SignedQuantity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResultBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationConfiguration;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.OpaqueDeviceConfiguration;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts planned devices into the fields of ResourceClaims. */
public final class ClaimStatuses {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ClaimStatuses() {}

  /** Returns {@code status.allocation} of a claim. */
  public static AllocationResult of(DeviceAllocation allocation) {
    return new AllocationResultBuilder()
        .withNewDevices()
        .withResults(allocation.results().stream().map(ClaimStatuses::result).toList())
        .withConfig(allocation.config().stream().map(ClaimStatuses::config).toList())
        .endDevices()
        .withNodeSelector(allocation.nodes().map(ClaimStatuses::selector).orElse(null))
        .build();
  }

  private static DeviceRequestAllocationResult result(DeviceAllocation.Result result) {
    DeviceRequestAllocationResult written = new DeviceRequestAllocationResult();
    written.setRequest(result.request());
    written.setDriver(result.device().driver());
    written.setPool(result.device().pool());
    written.setDevice(result.device().device());
    written.setAdminAccess(result.adminAccess() ? Boolean.TRUE : null);
    written.setTolerations(result.tolerations().stream().map(ClaimStatuses::toleration).toList());
    written.setShareID(result.shareId().orElse(null));
    Map<String, Quantity> consumed = new HashMap<>();
    result.consumed().forEach((name, amount) -> consumed.put(name, quantity(amount)));
    written.setConsumedCapacity(consumed);
    written.setBindingConditions(result.bindingConditions());
    written.setBindingFailureConditions(result.bindingFailureConditions());
    return written;
  }

  private static Quantity quantity(BigDecimal amount) {
    return new Quantity(SignedQuantity.text(amount));
  }

  private static io.fabric8.kubernetes.api.model.resource.v1.DeviceToleration toleration(
      DeviceToleration toleration) {
    var written = new io.fabric8.kubernetes.api.model.resource.v1.DeviceToleration();
    written.setKey(orNull(toleration.key()));
    written.setOperator(orNull(toleration.operator()));
    written.setValue(orNull(toleration.value()));
    written.setEffect(orNull(toleration.effect()));
    written.setTolerationSeconds(toleration.seconds().orElse(null));
    return written;
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static DeviceAllocationConfiguration config(DeviceAllocation.Config config) {
    DeviceAllocationConfiguration written = new DeviceAllocationConfiguration();
    written.setSource(config.fromClass() ? "FromClass" : "FromClaim");
    written.setRequests(config.requests());
    written.setOpaque(opaque(config.opaque()));
    return written;
  }

  private static @Nullable OpaqueDeviceConfiguration opaque(String json) {
    if (json.isEmpty()) {
      return null;
    }
    try {
      return JSON.readValue(json, OpaqueDeviceConfiguration.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("parameters of a driver that were read before: " + json, e);
    }
  }

  private static NodeSelector selector(List<NodeTerm> terms) {
    return new NodeSelectorBuilder()
        .withNodeSelectorTerms(
            terms.stream()
                .map(
                    term ->
                        new NodeSelectorTerm(
                            requirements(term.expressions()), requirements(term.fields())))
                .toList())
        .build();
  }

  private static List<NodeSelectorRequirement> requirements(List<Requirement> requirements) {
    return requirements.stream()
        .map(
            requirement ->
                new NodeSelectorRequirement(
                    requirement.key(), requirement.operator().written(), requirement.values()))
        .toList();
  }

  /** Returns {@code spec.devices.requests} of the claim for a pod's extended resources. */
  public static List<io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest> requests(
      ClaimAllocation.ExtendedClaim claim) {
    return claim.requests().stream().map(ClaimStatuses::request).toList();
  }

  private static io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest request(
      DeviceRequest request) {
    DeviceAsk ask = request.asks().getFirst();
    return new DeviceRequestBuilder()
        .withName(request.name())
        .withNewExactly()
        .withDeviceClassName(ask.className())
        .withAllocationMode(ask.mode())
        .withCount(ask.count())
        .endExactly()
        .build();
  }
}

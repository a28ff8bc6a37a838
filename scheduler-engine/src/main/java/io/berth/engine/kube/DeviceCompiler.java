package io.berth.engine.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceConfig;
import io.berth.engine.devices.DeviceConstraint;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.devices.DeviceToleration;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.quantity.SignedQuantity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.CapacityRequirements;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.OpaqueDeviceConfiguration;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles DeviceClasses, and what claims ask for. */
final class DeviceCompiler {
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  private DeviceCompiler() {}

  static DeviceObject deviceClass(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceClass deviceClass) {
    ObjectMeta metadata = deviceClass.getMetadata();
    var spec = deviceClass.getSpec();
    List<DeviceConfig> config = new ArrayList<>();
    if (spec != null) {
      spec.getConfig()
          .forEach(of -> config.add(new DeviceConfig(List.of(), opaque(of.getOpaque()))));
    }
    return new DeviceClass(
        Labels.requireName(metadata.getName(), "metadata.name"),
        createdAt(metadata),
        spec == null ? List.of() : selectors(spec.getSelectors()),
        config,
        spec == null ? Optional.empty() : Optional.ofNullable(spec.getExtendedResourceName()));
  }

  private static Instant createdAt(ObjectMeta metadata) {
    String text = metadata.getCreationTimestamp();
    return text == null || text.isEmpty() ? Instant.EPOCH : Timestamps.parse(text);
  }

  static ClaimSpec spec(@Nullable DeviceClaim devices) {
    if (devices == null) {
      return ClaimSpec.empty();
    }
    List<DeviceRequest> requests = new ArrayList<>();
    devices.getRequests().forEach(request -> requests.add(request(request)));
    List<DeviceConstraint> constraints = new ArrayList<>();
    for (var constraint : devices.getConstraints()) {
      constraints.add(constraint(constraint));
    }
    List<DeviceConfig> config = new ArrayList<>();
    for (var of : devices.getConfig()) {
      config.add(new DeviceConfig(of.getRequests(), opaque(of.getOpaque())));
    }
    return new ClaimSpec(requests, constraints, config);
  }

  private static DeviceRequest request(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest request) {
    String name = PodCompiler.orEmpty(request.getName());
    if (request.getExactly() != null) {
      return new DeviceRequest(name, false, List.of(exactly(name, request.getExactly())));
    }
    return new DeviceRequest(
        name, true, request.getFirstAvailable().stream().map(DeviceCompiler::alternative).toList());
  }

  private static DeviceAsk exactly(String name, ExactDeviceRequest request) {
    return new DeviceAsk(
        name,
        PodCompiler.orEmpty(request.getDeviceClassName()),
        mode(request.getAllocationMode()),
        count(request.getCount()),
        Boolean.TRUE.equals(request.getAdminAccess()),
        selectors(request.getSelectors()),
        tolerations(request.getTolerations()),
        capacity(request.getCapacity()));
  }

  private static DeviceAsk alternative(DeviceSubRequest request) {
    return new DeviceAsk(
        PodCompiler.orEmpty(request.getName()),
        PodCompiler.orEmpty(request.getDeviceClassName()),
        mode(request.getAllocationMode()),
        count(request.getCount()),
        false,
        selectors(request.getSelectors()),
        tolerations(request.getTolerations()),
        capacity(request.getCapacity()));
  }

  private static String mode(@Nullable String mode) {
    return mode == null || mode.isEmpty() ? DeviceAsk.EXACT_COUNT : mode;
  }

  private static long count(@Nullable Long count) {
    if (count != null && count < 0) {
      throw new RefusedException("a request asks for " + count + " devices");
    }
    return count == null || count == 0 ? 1 : count;
  }

  private static List<String> selectors(List<DeviceSelector> selectors) {
    return selectors.stream()
        .map(
            selector ->
                selector.getCel() == null
                    ? ""
                    : PodCompiler.orEmpty(selector.getCel().getExpression()))
        .toList();
  }

  static List<DeviceToleration> tolerations(
      List<io.fabric8.kubernetes.api.model.resource.v1.DeviceToleration> tolerations) {
    return tolerations.stream()
        .map(
            toleration ->
                new DeviceToleration(
                    PodCompiler.orEmpty(toleration.getKey()),
                    PodCompiler.orEmpty(toleration.getOperator()),
                    PodCompiler.orEmpty(toleration.getValue()),
                    PodCompiler.orEmpty(toleration.getEffect()),
                    Optional.ofNullable(toleration.getTolerationSeconds())))
        .toList();
  }

  private static Map<String, BigDecimal> capacity(@Nullable CapacityRequirements capacity) {
    return capacity == null ? Map.of() : amounts(capacity.getRequests(), "capacity.requests");
  }

  private static DeviceConstraint constraint(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceConstraint constraint) {
    if (constraint.getMatchAttribute() != null) {
      return new DeviceConstraint(
          constraint.getRequests(), DeviceConstraint.Kind.MATCH, constraint.getMatchAttribute());
    }
    if (constraint.getDistinctAttribute() != null) {
      return new DeviceConstraint(
          constraint.getRequests(),
          DeviceConstraint.Kind.DISTINCT,
          constraint.getDistinctAttribute());
    }
    return new DeviceConstraint(constraint.getRequests(), DeviceConstraint.Kind.UNKNOWN, "");
  }

  /** Returns parameters for a driver as JSON with sorted members; empty if there are none. */
  static String opaque(@Nullable OpaqueDeviceConfiguration opaque) {
    if (opaque == null) {
      return "";
    }
    try {
      return JSON.writeValueAsString(JSON.treeToValue(JSON.valueToTree(opaque), Object.class));
    } catch (JsonProcessingException e) {
      throw new RefusedException("parameters of a driver are malformed", e);
    }
  }

  /** Returns the terms of a node selector. */
  static List<NodeTerm> terms(NodeSelector selector, String where) {
    List<NodeTerm> terms = new ArrayList<>();
    for (NodeSelectorTerm term : selector.getNodeSelectorTerms()) {
      terms.add(Selectors.nodeTerm(term, where));
    }
    return terms;
  }

  static Map<String, BigDecimal> amounts(@Nullable Map<String, Quantity> quantities, String where) {
    Map<String, BigDecimal> amounts = new HashMap<>();
    if (quantities != null) {
      quantities.forEach((name, of) -> amounts.put(name, amount(of, where + "." + name)));
    }
    return amounts;
  }

  static BigDecimal amount(@Nullable Quantity quantity, String where) {
    if (quantity == null || quantity.getAmount() == null) {
      throw new RefusedException(where + " has no amount");
    }
    String text = quantity.getAmount() + PodCompiler.orEmpty(quantity.getFormat());
    return SignedQuantity.read(text)
        .orElseThrow(() -> new RefusedException(where + ": \"" + text + "\" is not a quantity"));
  }
}

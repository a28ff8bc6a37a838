package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.LabelSyntax;
import io.berth.rules.PlacementRules;
import io.berth.rules.Violation;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.quantity.Amount;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Validation of a pod spec, in a pod or in a pod template. */
final class PodSpecRules {
  private static final PlacementRules RULES = PlacementRules.ofStored();
  private static final int HIGHEST_PORT = 65535;
  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
  private static final List<String> RESTART_POLICIES = List.of("Always", "Never", "OnFailure");

  private PodSpecRules() {}

  static void validate(JsonNode spec, String path, List<FieldError> errors) {
    if (spec.path("containers").isEmpty()) {
      errors.add(FieldError.required(path + ".containers", ""));
    }
    Set<String> names = new HashSet<>();
    containers(spec.path("initContainers"), path + ".initContainers", names, errors);
    containers(spec.path("containers"), path + ".containers", names, errors);
    String restart = spec.path("restartPolicy").asText();
    if (!restart.isEmpty() && !RESTART_POLICIES.contains(restart)) {
      errors.add(FieldError.notSupported(path + ".restartPolicy", restart, RESTART_POLICIES));
    }
    placement(spec, path, errors);
    deadline(spec, path, errors);
    Quantities.validateList(spec.path("overhead"), path + ".overhead", errors);
    resources(spec.path("resources"), path + ".resources", errors);
  }

  private static void placement(JsonNode spec, String path, List<FieldError> errors) {
    add(RULES.labels(spec.path("nodeSelector"), path + ".nodeSelector"), errors);
    add(RULES.affinity(spec.path("affinity"), path + ".affinity"), errors);
    gates(spec, path, errors);
    add(
        RULES.spreadConstraints(
            spec.path("topologySpreadConstraints"), path + ".topologySpreadConstraints"),
        errors);
    add(RULES.tolerations(spec.path("tolerations"), path + ".tolerations"), errors);
  }

  private static void add(List<Violation> violations, List<FieldError> errors) {
    violations.forEach(violation -> errors.add(FieldError.of(violation)));
  }

  private static void containers(
      JsonNode containers, String path, Set<String> names, List<FieldError> errors) {
    int i = 0;
    for (JsonNode container : containers) {
      String at = path + "[" + i++ + "]";
      String name = container.path("name").asText();
      if (name.isEmpty()) {
        errors.add(FieldError.required(at + ".name", ""));
      } else {
        NameFormat.LABEL
            .problems(name)
            .forEach(problem -> errors.add(FieldError.invalid(at + ".name", name, problem)));
        if (!names.add(name)) {
          errors.add(FieldError.duplicate(at + ".name", name));
        }
      }
      if (container.path("image").asText().isEmpty()) {
        errors.add(FieldError.required(at + ".image", ""));
      }
      ports(container.path("ports"), at + ".ports", errors);
      resources(container.path("resources"), at + ".resources", errors);
    }
  }

  private static void ports(JsonNode ports, String path, List<FieldError> errors) {
    int i = 0;
    for (JsonNode port : ports) {
      String at = path + "[" + i++ + "]";
      int number = port.path("containerPort").asInt();
      if (number == 0) {
        errors.add(FieldError.required(at + ".containerPort", ""));
      } else if (number < 0 || number > HIGHEST_PORT) {
        errors.add(
            FieldError.invalid(
                at + ".containerPort", number, "must be between 1 and 65535, inclusive"));
      }
      int host = port.path("hostPort").asInt();
      if (host < 0 || host > HIGHEST_PORT) {
        errors.add(
            FieldError.invalid(at + ".hostPort", host, "must be between 1 and 65535, inclusive"));
      }
      String protocol = port.path("protocol").asText();
      if (!protocol.isEmpty() && !PROTOCOLS.contains(protocol)) {
        errors.add(FieldError.notSupported(at + ".protocol", protocol, PROTOCOLS));
      }
    }
  }

  private static void resources(JsonNode resources, String path, List<FieldError> errors) {
    JsonNode limits = resources.path("limits");
    JsonNode requests = resources.path("requests");
    Quantities.validateList(limits, path + ".limits", errors);
    Quantities.validateList(requests, path + ".requests", errors);
    requests
        .properties()
        .forEach(
            request -> {
              String name = request.getKey();
              boolean extended = name.contains("/") && !name.startsWith("kubernetes.io/");
              if (!extended && !limits.has(name)) {
                return;
              }
              Optional<Amount> asked = Amount.read(request.getValue());
              Optional<Amount> limit =
                  limits.has(name) ? Amount.read(limits.path(name)) : Optional.empty();
              if (asked.isPresent() && limit.isPresent()) {
                int order = asked.get().compareTo(limit.get());
                if (extended && order != 0) {
                  errors.add(
                      FieldError.invalid(
                          path + ".requests",
                          request.getValue().asText(),
                          "must be equal to " + name + " limit of " + limits.path(name).asText()));
                } else if (order > 0) {
                  errors.add(
                      FieldError.invalid(
                          path + ".requests",
                          request.getValue().asText(),
                          "must be less than or equal to "
                              + name
                              + " limit of "
                              + limits.path(name).asText()));
                }
              }
              if (extended
                  && asked.isPresent()
                  && asked.get().value().stripTrailingZeros().scale() > 0) {
                errors.add(
                    FieldError.invalid(
                        path + ".requests[" + name + "]",
                        request.getValue().asText(),
                        "must be an integer"));
              }
            });
  }

  private static void gates(JsonNode spec, String path, List<FieldError> errors) {
    JsonNode gates = spec.path("schedulingGates");
    if (!gates.isEmpty() && !spec.path("nodeName").asText().isEmpty()) {
      errors.add(
          FieldError.forbidden(
              path + ".nodeName", "cannot be set until all schedulingGates have been cleared"));
    }
    Set<String> seen = new HashSet<>();
    int i = 0;
    for (JsonNode gate : gates) {
      String at = path + ".schedulingGates[" + i++ + "]";
      String name = gate.path("name").asText();
      LabelSyntax.ofLabelName(name)
          .forEach(problem -> errors.add(FieldError.invalid(at, name, problem)));
      if (!seen.add(name)) {
        errors.add(FieldError.duplicate(at, name));
      }
    }
  }

  private static void deadline(JsonNode spec, String path, List<FieldError> errors) {
    if (spec.has("activeDeadlineSeconds") && spec.path("activeDeadlineSeconds").asLong() < 1) {
      errors.add(
          FieldError.invalid(
              path + ".activeDeadlineSeconds",
              spec.path("activeDeadlineSeconds").asLong(),
              "must be between 1 and 2147483647, inclusive"));
    }
  }
}

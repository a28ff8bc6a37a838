package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.PodDefaults;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of Deployments, ReplicaSets, StatefulSets, DaemonSets, and ReplicationControllers:
 * defaults, and a selector that must match the template's labels.
 */
final class WorkloadRules implements KindRules {
  private static final int REVISIONS = 10;
  private static final int PROGRESS_SECONDS = 600;

  private final Workload workload;
  private final PodDefaults podDefaults;

  /** The workload kinds that share these rules. */
  enum Workload {
    DEPLOYMENT("deployments.apps"),
    REPLICA_SET("replicasets.apps"),
    STATEFUL_SET("statefulsets.apps"),
    DAEMON_SET("daemonsets.apps"),
    REPLICATION_CONTROLLER("replicationcontrollers");

    private final String resource;

    Workload(String resource) {
      this.resource = resource;
    }

    String resource() {
      return resource;
    }
  }

  WorkloadRules(Workload workload, PodDefaults podDefaults) {
    this.workload = workload;
    this.podDefaults = podDefaults;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public boolean orphansByDefault() {
    return workload == Workload.REPLICATION_CONTROLLER;
  }

  @Override
  public void applyDefaults(ObjectNode object) {
    ObjectNode spec = object.withObjectProperty("spec");
    if (spec.path("template") instanceof ObjectNode template) {
      podDefaults.applyToTemplate(template);
    }
    if (workload != Workload.DAEMON_SET) {
      Defaults.number(spec, "replicas", 1);
    }
    switch (workload) {
      case DEPLOYMENT -> {
        ObjectNode strategy = spec.withObjectProperty("strategy");
        Defaults.text(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asText().equals("RollingUpdate")) {
          ObjectNode rolling = strategy.withObjectProperty("rollingUpdate");
          Defaults.text(rolling, "maxSurge", "25%");
          Defaults.text(rolling, "maxUnavailable", "25%");
        }
        Defaults.number(spec, "revisionHistoryLimit", REVISIONS);
        Defaults.number(spec, "progressDeadlineSeconds", PROGRESS_SECONDS);
      }
      case STATEFUL_SET -> {
        Defaults.text(spec, "podManagementPolicy", "OrderedReady");
        Defaults.number(spec, "revisionHistoryLimit", REVISIONS);
        rollingUpdate(spec)
            .put(
                "partition",
                spec.path("updateStrategy").path("rollingUpdate").path("partition").asInt(0));
      }
      case DAEMON_SET -> {
        ObjectNode rolling = rollingUpdate(spec);
        Defaults.number(rolling, "maxUnavailable", 1);
        Defaults.number(rolling, "maxSurge", 0);
        Defaults.number(spec, "revisionHistoryLimit", REVISIONS);
      }
      case REPLICATION_CONTROLLER -> {
        if (!spec.has("selector")) {
          spec.set("selector", spec.path("template").path("metadata").path("labels").deepCopy());
        }
      }
      case REPLICA_SET -> {}
    }
  }

  private static ObjectNode rollingUpdate(ObjectNode spec) {
    ObjectNode strategy = spec.withObjectProperty("updateStrategy");
    Defaults.text(strategy, "type", "RollingUpdate");
    return strategy.withObjectProperty("rollingUpdate");
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode object) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = object.path("spec");
    if (spec.path("replicas").asInt() < 0) {
      errors.add(
          FieldError.invalid(
              "spec.replicas",
              spec.path("replicas").asInt(),
              "must be greater than or equal to 0"));
    }
    if (workload != Workload.REPLICATION_CONTROLLER) {
      Templates.validateSelector(workload, spec, errors);
    }
    PodSpecRules.validate(spec.path("template").path("spec"), "spec.template.spec", errors);
    String restart = spec.path("template").path("spec").path("restartPolicy").asText("Always");
    if (!restart.equals("Always")) {
      errors.add(
          FieldError.notSupported("spec.template.spec.restartPolicy", restart, List.of("Always")));
    }
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(object));
    if (workload != Workload.REPLICATION_CONTROLLER
        && !object.path("spec").path("selector").equals(old.path("spec").path("selector"))) {
      errors.add(
          FieldError.invalid(
              "spec.selector", object.path("spec").path("selector"), "field is immutable"));
    }
    return errors;
  }
}

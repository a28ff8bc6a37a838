package io.berth.operator.owner;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.error.ObjectNames;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The kinds of workloads whose pods form a group, with the number of pods that an object runs. */
enum SizedKind {
  /** The parallelism, limited by the completions. */
  JOB("batch", "Job", "jobs") {
    @Override
    OptionalInt size(JsonNode spec) {
      int parallelism = spec.path("parallelism").asInt(1);
      return atLeastOne(Math.min(parallelism, spec.path("completions").asInt(parallelism)));
    }
  },

  /** The head and the workers; if Ray autoscales, the minimum number of workers. */
  RAY_CLUSTER("ray.io", "RayCluster", "rayclusters") {
    @Override
    OptionalInt size(JsonNode spec) {
      boolean scaled = spec.path("enableInTreeAutoscaling").asBoolean();
      int pods = 1;
      for (JsonNode group : spec.path("workerGroupSpecs")) {
        int least = group.path("minReplicas").asInt(0);
        int replicas = scaled ? least : group.path("replicas").asInt(least);
        int hosts = Math.max(1, group.path("numOfHosts").asInt(1));
        pods += group.path("suspend").asBoolean() ? 0 : Math.max(0, replicas) * hosts;
      }
      return atLeastOne(pods);
    }
  },

  /** The executors. The driver is not counted, because it creates them and runs before them. */
  SPARK_APPLICATION("sparkoperator.k8s.io", "SparkApplication", "sparkapplications") {
    @Override
    OptionalInt size(JsonNode spec) {
      JsonNode dynamic = spec.path("dynamicAllocation");
      return atLeastOne(
          dynamic.path("enabled").asBoolean()
              ? dynamic.path("initialExecutors").asInt(dynamic.path("minExecutors").asInt(0))
              : spec.path("executor").path("instances").asInt(1));
    }
  };

  private static final Pattern VERSION = Pattern.compile("v[0-9][a-z0-9]{0,20}");

  private final String group;
  private final String kind;
  private final String plural;

  SizedKind(String group, String kind, String plural) {
    this.group = group;
    this.kind = kind;
    this.plural = plural;
  }

  /**
   * Returns the number of pods that an object runs at a time; empty if its spec does not define it.
   */
  abstract OptionalInt size(JsonNode spec);

  private static OptionalInt atLeastOne(int pods) {
    return pods > 0 ? OptionalInt.of(pods) : OptionalInt.empty();
  }

  /**
   * Returns the kind of a controller; empty for other kinds and for invalid names, which are not
   * looked up.
   */
  static Optional<SizedKind> of(Controller controller) {
    String[] groupVersion = controller.apiVersion().split("/", -1);
    return groupVersion.length == 2
            && VERSION.matcher(groupVersion[1]).matches()
            && ObjectNames.isValid(controller.name())
        ? Stream.of(values())
            .filter(each -> each.group.equals(groupVersion[0]))
            .filter(each -> each.kind.equals(controller.kind()))
            .findFirst()
        : Optional.empty();
  }

  String path(String namespace, Controller controller) {
    return "/apis/%s/namespaces/%s/%s/%s"
        .formatted(controller.apiVersion(), namespace, plural, controller.name());
  }
}

package io.berth.operator.owner;

import io.berth.webhook.binding.Controller;
import io.berth.webhook.error.ObjectNames;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kinds that other objects create and that create pods, with names that change. All other kinds
 * end a chain: a Deployment, a StatefulSet or a custom resource is what a user wrote, or is always
 * created under the same name.
 */
enum FollowedKind {
  /** Of a Deployment, or of another kind that rolls out by ReplicaSets. */
  REPLICA_SET("apps/v1", "ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets/%s"),
  /** Of a CronJob, or of another kind that runs Jobs. */
  JOB("batch/v1", "Job", "/apis/batch/v1/namespaces/%s/jobs/%s"),
  /** A pod that creates pods, such as a Spark driver its executors. */
  POD("v1", "Pod", "/api/v1/namespaces/%s/pods/%s");

  private final String apiVersion;
  private final String kind;
  private final String path;

  FollowedKind(String apiVersion, String kind, String path) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.path = path;
  }

  /**
   * Returns the kind of a controller if it is followed. An object without UID is being created, and
   * a name that no object can have is not asked for: anybody may write an owner reference.
   */
  static Optional<FollowedKind> of(Controller controller) {
    return controller.uid().isEmpty() || !ObjectNames.isValid(controller.name())
        ? Optional.empty()
        : Stream.of(values())
            .filter(each -> each.apiVersion.equals(controller.apiVersion()))
            .filter(each -> each.kind.equals(controller.kind()))
            .findFirst();
  }

  String path(String namespace, String name) {
    return path.formatted(namespace, name);
  }
}

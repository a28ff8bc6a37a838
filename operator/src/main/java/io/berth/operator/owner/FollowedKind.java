package io.berth.operator.owner;

import io.berth.webhook.binding.Controller;
import io.berth.webhook.error.ObjectNames;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kinds of controllers that are themselves created by other controllers under changing names.
 * All other kinds end an owner chain: a Deployment, a StatefulSet or a custom resource is created
 * by a user, or always under the same name.
 */
enum FollowedKind {
  /** Created by a Deployment, or by another kind that rolls out through ReplicaSets. */
  REPLICA_SET("apps/v1", "ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets/%s"),
  /** Created by a CronJob, or by another kind that runs Jobs. */
  JOB("batch/v1", "Job", "/apis/batch/v1/namespaces/%s/jobs/%s"),
  /** A pod that creates pods, such as a Spark driver, which creates executors. */
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
   * Returns the kind of a controller if it is followed. An object without a UID is still being
   * created, and a reference with an invalid name is not looked up, because any user can write
   * owner references.
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

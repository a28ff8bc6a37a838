package io.berth.operator.record;

import java.util.Optional;

/**
 * A notable occurrence on an object, as shown by {@code kubectl describe}.
 *
 * @param regarding the object that the event is about
 * @param related another object that is involved
 * @param warning whether the event needs attention
 * @param reason one CamelCase word, such as FailedScheduling
 * @param action the action in progress, such as Binding
 * @param note the message; it is truncated to 1,024 bytes
 */
public record ObjectEvent(
    Subject regarding,
    Optional<Subject> related,
    boolean warning,
    String reason,
    String action,
    String note) {

  /** The object that an event is about. */
  public record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

    public static Subject pod(io.berth.engine.model.PodRef pod) {
      return new Subject("v1", "Pod", pod.namespace(), pod.name(), pod.uid());
    }

    /**
     * Returns a node, whose events contain its name in place of the UID, as the kubelet's events
     * do.
     */
    public static Subject node(String name) {
      return new Subject("v1", "Node", "", name, name);
    }
  }

  public static ObjectEvent normal(Subject regarding, String reason, String action, String note) {
    return new ObjectEvent(regarding, Optional.empty(), false, reason, action, note);
  }

  public static ObjectEvent warning(Subject regarding, String reason, String action, String note) {
    return new ObjectEvent(regarding, Optional.empty(), true, reason, action, note);
  }

  /** Returns a copy with another note. */
  ObjectEvent withNote(String other) {
    return new ObjectEvent(regarding, related, warning, reason, action, other);
  }
}

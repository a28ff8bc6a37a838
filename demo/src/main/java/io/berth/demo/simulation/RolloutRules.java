package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.schema.DurationText;
import io.berth.demo.invariant.EngineSources;
import io.berth.demo.simulation.PolicyHistory.Version;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.policy.GoodRevision;
import io.berth.webhook.rollout.SpecHash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The rules for the states of rollouts that leaders write, one after the other: a rollout begins
 * with its first step, takes one step after the other, each after the hold of the one before,
 * whichever leader writes, and does not begin again after it was withdrawn. At rest, none is late.
 */
final class RolloutRules {
  /** More than the time after which a leader looks at a policy again, and writes its status. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  private static final String COMPLETE = "Complete";
  private static final String ABORTED = "Aborted";

  private final VirtualTime time;
  private final PolicyHistory history;
  private final Consumer<String> onViolation;
  private long begun;
  private long completed;
  private long aborted;

  RolloutRules(VirtualTime time, PolicyHistory history, Consumer<String> onViolation) {
    this.time = time;
    this.history = history;
    this.onViolation = onViolation;
  }

  RolloutNumbers counts() {
    return new RolloutNumbers(begun, completed, aborted);
  }

  /** Judges a status that was applied to an object of Berth's kinds. */
  void applied(ObjectNode before, ObjectNode after) {
    if (!ObjectKey.of(after).kind().equals("SchedulingPolicy")) {
      return;
    }
    JsonNode last = before.at("/status/rollout");
    JsonNode next = after.at("/status/rollout");
    if (!next.isObject() || next.equals(last)) {
      return;
    }
    boolean isSame = last.path("specHash").equals(next.path("specHash"));
    Optional<String> fault = isSame ? goingOn(before, last, next) : beginning(next);
    fault.ifPresent(
        what ->
            onViolation.accept(
                "SchedulingPolicy %s %s: from %s to %s"
                    .formatted(ObjectKey.of(after).name(), what, last, next)));
    boolean isNew = !isSame || !last.path("phase").equals(next.path("phase"));
    if (isNew && phase(next).equals(COMPLETE)) {
      completed += isSame ? 1 : 0;
    } else if (isNew && phase(next).equals(ABORTED)) {
      aborted++;
    } else if (!isSame) {
      begun++;
    }
  }

  private static String phase(JsonNode rollout) {
    return rollout.path("phase").asText();
  }

  private static Optional<String> beginning(JsonNode next) {
    return phase(next).equals(COMPLETE)
            || (next.path("step").asInt() == 1 && !phase(next).equals(ABORTED))
        ? Optional.empty()
        : Optional.of("is rolled out without a first step");
  }

  /** Returns what is wrong with the next state of the rollout of the same spec. */
  private Optional<String> goingOn(ObjectNode policy, JsonNode last, JsonNode next) {
    JsonNode spec = policy.at("/spec/rollout");
    int steps = spec.path("steps").size();
    int step = Math.clamp(last.path("step").asInt(), 1, Math.max(1, steps));
    int following = phase(next).equals(COMPLETE) ? steps + 1 : next.path("step").asInt();
    if (phase(last).equals(COMPLETE)) {
      return phase(next).equals(COMPLETE)
          ? Optional.empty()
          : Optional.of("is rolled out again although it was complete");
    }
    if (isCompleteAnyway(policy)) {
      return Optional.empty();
    }
    if (phase(last).equals(ABORTED)) {
      boolean mayBegin = !spec.path("abortWhen").isObject() && following == 1;
      return phase(next).equals(ABORTED) || mayBegin
          ? Optional.empty()
          : Optional.of("is rolled out although it was withdrawn");
    }
    if (phase(next).equals(ABORTED)) {
      return spec.path("abortWhen").isObject()
          ? Optional.empty()
          : Optional.of("was withdrawn without a limit");
    }
    if (following < step) {
      return Optional.of("went back to an earlier step");
    }
    if (following == step) {
      return Optional.empty();
    }
    if (following > step + 1) {
      return Optional.of("has left out a step");
    }
    boolean isEarly = time.instant().isBefore(end(last, spec, step));
    boolean isHeld = phase(last).equals("Paused") || spec.path("paused").asBoolean();
    return isEarly || isHeld
        ? Optional.of("went on although its step had not ended")
        : Optional.empty();
  }

  /** Returns whether the spec was complete before, because it had no steps for a while. */
  private boolean isCompleteAnyway(ObjectNode policy) {
    return history
        .version(policy.at("/metadata/resourceVersion").asText())
        .filter(version -> version.complete().equals(version.latest()))
        .isPresent();
  }

  private static Instant end(JsonNode rollout, JsonNode spec, int step) {
    Duration hold =
        DurationText.read(spec.path("steps").path(step - 1).path("hold").asText())
            .orElse(Duration.ZERO);
    return Instant.parse(rollout.path("stepSince").asText()).plus(hold);
  }

  /** Returns the rollouts that have not begun, or are late, at rest. */
  List<String> late(List<ObjectNode> objects) {
    Map<String, GoodRevision> stored = EngineSources.stored(objects).policies();
    List<String> late = new ArrayList<>();
    for (ObjectNode policy : objects) {
      if (ObjectKey.of(policy).kind().equals("SchedulingPolicy")
          && !policy.at("/spec/rollout/steps").isEmpty()) {
        String name = ObjectKey.of(policy).name();
        late(policy, Optional.ofNullable(stored.get(name)))
            .ifPresent(
                what ->
                    late.add(
                        "SchedulingPolicy %s %s: %s"
                            .formatted(name, what, policy.at("/status/rollout"))));
      }
    }
    return late;
  }

  private Optional<String> late(ObjectNode policy, Optional<GoodRevision> stored) {
    JsonNode rollout = policy.at("/status/rollout");
    Version version =
        history.version(policy.at("/metadata/resourceVersion").asText()).orElseThrow();
    JsonNode condition = KubeObjects.condition(policy, "RolledOut");
    if (condition != null && condition.path("reason").asText().equals("CompleteRevisionUnknown")) {
      String needed =
          rollout.path(phase(rollout).equals(COMPLETE) ? "specHash" : "stableSpecHash").asText();
      return stored
          .filter(it -> SpecHash.of(it.spec()).equals(needed))
          .map(it -> "does not know its complete revision, which is stored");
    }
    if (!rollout.path("specHash").asText().equals(version.latest())) {
      return Optional.of("has not begun to roll its latest spec out");
    }
    JsonNode spec = policy.at("/spec/rollout");
    if (!phase(rollout).equals("Progressing")) {
      return Optional.empty();
    }
    int step = rollout.path("step").asInt();
    return time.instant().isAfter(end(rollout, spec, step).plus(SLACK))
        ? Optional.of("should have taken its next step")
        : Optional.empty();
  }
}

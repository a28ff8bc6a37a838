package io.berth.engine.attempt;

import io.berth.engine.Advice;
import io.berth.engine.Attempt;
import io.berth.engine.Consult;
import io.berth.engine.PodRef;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Consultation;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import io.berth.engine.state.Timers;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attempts that have left the engine for advice, or wait to be asked about, by their pods'
 * UIDs. A pod has one at most; it is in flight in the queue until the advice comes or is given up.
 *
 * <p>A policy's advisor is asked about so many pods at a time; the others wait here for their turn
 * ({@link WaitingTurns}), so that an advisor that hangs holds up the pods of its policy alone, and
 * each question is about the cluster as it is when it is asked.
 */
public final class Consultations implements Timer {
  /** An attempt that is out for advice. */
  private record Open(PodEntry pod, Attempt attempt, long token, Asked asked, Instant due) {}

  /**
   * An attempt that goes on.
   *
   * @param answer empty for one whose turn to be asked about has come
   */
  public record Continued(PodEntry pod, Attempt attempt, Optional<Answered> answer) {}

  /**
   * The advice for which an attempt had left.
   *
   * @param asked what was asked; the advice is no answer to another
   */
  public record Answered(Asked asked, Advice advice) {}

  /**
   * A question, and the revision of the policy that asked it.
   *
   * @param serial of the revision
   * @param stage how far the attempt had come
   */
  public record Asked(int serial, Consultation consultation, Stage stage) {
    boolean isBy(int otherSerial, Consultation other) {
      return serial == otherSerial && consultation.equals(other);
    }
  }

  /** The progress of an attempt when it left. */
  public sealed interface Stage {
    /**
     * The pod fits on some nodes.
     *
     * @param promised whether the one node was asked about that is promised to the pod
     */
    record AskedOfNodes(boolean promised) implements Stage {}

    /**
     * The pod fits nowhere, and others may be evicted for it.
     *
     * @param nodes the advice about nodes by which it fits nowhere; empty where none was asked
     */
    record AskedOfVictims(Optional<Advice.Nodes> nodes) implements Stage {}
  }

  /** In the order in which they were asked. */
  private final Map<String, Open> open = new LinkedHashMap<>();

  private final Map<Integer, Integer> openOfPolicy = new HashMap<>();

  /** In the order in which they were answered, or their turn came for another reason. */
  private final Map<String, Continued> continued = new LinkedHashMap<>();

  private final WaitingTurns waiting = new WaitingTurns();
  private Instant due = Instant.MAX;
  private long tokens;

  /** Returns whether another question of this revision of a policy may be asked now. */
  boolean mayAsk(int serial, Consultation consultation) {
    return openOfPolicy.getOrDefault(serial, 0) < consultation.mostOpen();
  }

  /** The attempt waits until a question of its policy ends. */
  void await(PodEntry pod, Attempt attempt, int serial, Consultation consultation) {
    waiting.add(pod, attempt, serial, consultation.mostOpen());
  }

  /** Sends an attempt out for advice. */
  Consult ask(
      PodEntry pod,
      Attempt attempt,
      ShapePlan plan,
      Asked asked,
      Consult.Question question,
      Instant now) {
    Consultation consultation = asked.consultation();
    Instant until = now.plus(consultation.timeout());
    long token = ++tokens;
    open.put(pod.ref().uid(), new Open(pod, attempt, token, asked, until));
    openOfPolicy.merge(asked.serial(), 1, Integer::sum);
    due = Timers.earlier(until, due);
    return new Consult(
        token,
        pod.ref(),
        attempt,
        plan.policy().name(),
        plan.policy().revision(),
        consultation,
        question);
  }

  /** Takes in an answer; one to a question that is not open is nobody's. */
  public void answer(PodRef pod, long token, Advice advice) {
    Open asked = open.get(pod.uid());
    if (asked != null && asked.token() == token) {
      end(asked, advice);
    }
  }

  private void end(Open asked, Advice advice) {
    String uid = asked.pod().ref().uid();
    open.remove(uid);
    continued.put(
        uid,
        new Continued(
            asked.pod(), asked.attempt(), Optional.of(new Answered(asked.asked(), advice))));
    closed(asked);
  }

  private void closed(Open asked) {
    openOfPolicy.computeIfPresent(
        asked.asked().serial(), (same, count) -> count == 1 ? null : count - 1);
  }

  /** The revision of a policy serves no more: who waits for its turn is tried under another. */
  public void ended(int serial) {
    waiting
        .removeAll(serial)
        .forEach(turn -> continued.put(turn.pod().ref().uid(), continuedWithoutAnswer(turn)));
  }

  private static Continued continuedWithoutAnswer(WaitingTurns.Turn turn) {
    return new Continued(turn.pod(), turn.attempt(), Optional.empty());
  }

  /** The attempt to go on with next. */
  public Optional<Continued> poll() {
    if (continued.isEmpty()) {
      return waiting
          .poll(serial -> openOfPolicy.getOrDefault(serial, 0))
          .map(Consultations::continuedWithoutAnswer);
    }
    Iterator<Continued> first = continued.values().iterator();
    Continued attempt = first.next();
    first.remove();
    return Optional.of(attempt);
  }

  /**
   * Drops the pod's attempt.
   *
   * @return whether there was one
   */
  public boolean drop(String podUid) {
    Open asked = open.remove(podUid);
    if (asked != null) {
      closed(asked);
      return true;
    }
    return continued.remove(podUid) != null || waiting.remove(podUid);
  }

  /** Returns the number of attempts that are out for advice, have it, or wait for their turn. */
  public int size() {
    return open.size() + continued.size() + waiting.size();
  }

  /** Returns the number of attempts that wait for their turn to be asked about. */
  public int waiting() {
    return waiting.size();
  }

  /**
   * Returns the time at which the first question is given up; {@link Instant#MIN} while an attempt
   * can continue.
   */
  @Override
  public Instant due() {
    boolean idle =
        continued.isEmpty() && !waiting.isAnyDue(serial -> openOfPolicy.getOrDefault(serial, 0));
    return idle ? due : Instant.MIN;
  }

  @Override
  public void run(Instant now) {
    if (due.isAfter(now)) {
      return;
    }
    due = Instant.MAX;
    for (Open asked : List.copyOf(open.values())) {
      if (asked.due().isAfter(now)) {
        due = Timers.earlier(asked.due(), due);
      } else {
        Consultation consultation = asked.asked().consultation();
        end(
            asked,
            new Advice.Unavailable(
                "%s did not answer within %s ms"
                    .formatted(consultation.name(), consultation.timeout().toMillis())));
      }
    }
  }
}

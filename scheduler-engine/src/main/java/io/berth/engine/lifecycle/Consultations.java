package io.berth.engine.lifecycle;

import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.Attempt;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.PodRef;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attempts that wait for advice, or for their turn to ask for it, by pod UID. A pod has one at
 * most; it is in flight in the queue until the advice arrives or times out.
 *
 * <p>The number of open questions to a policy's advisor is limited. Further attempts wait here for
 * their turn ({@link WaitingTurns}). So an advisor that does not respond delays only the pods of
 * its policy, and each question describes the cluster at the time when it is sent.
 */
public final class Consultations implements Timer {
  /** An attempt with an open question. */
  private record Open(PodEntry pod, Attempt attempt, long token, Asked asked, Instant due) {}

  /**
   * An attempt to resume.
   *
   * @param answer the answer; empty if it is the attempt's turn to ask
   */
  public record Continued(PodEntry pod, Attempt attempt, Optional<Answered> answer) {}

  /**
   * The advice that an attempt was waiting for.
   *
   * @param asked the question, which the advice answers, and no other
   */
  public record Answered(Asked asked, Advice advice) {}

  /**
   * A question, and the policy revision that requires it.
   *
   * @param serial the serial number of the revision
   * @param stage the progress of the attempt
   */
  public record Asked(int serial, Consultation consultation, Stage stage) {
    public boolean isBy(int otherSerial, Consultation other) {
      return serial == otherSerial && consultation.equals(other);
    }
  }

  /** The progress of a suspended attempt. */
  public sealed interface Stage {
    /**
     * The pod fits on at least one node.
     *
     * @param nominated whether the question is about the pod's nominated node alone
     * @param nodes the nodes that the question is about
     */
    record AskedOfNodes(boolean nominated, List<String> nodes) implements Stage {}

    /**
     * The pod fits nowhere, and other pods may be evicted for it.
     *
     * @param nodes the advice that rejected all nodes; empty if none was requested
     */
    record AskedOfVictims(Optional<Advice.Nodes> nodes) implements Stage {}
  }

  /** In the order of the questions. */
  private final Map<String, Open> open = new LinkedHashMap<>();

  private final Map<Integer, Integer> openOfPolicy = new HashMap<>();

  /** In the order of the answers, or of other reasons to resume. */
  private final Map<String, Continued> continued = new LinkedHashMap<>();

  private final WaitingTurns waiting = new WaitingTurns();
  private Due due = Due.NEVER;
  private long tokens;

  /** Returns whether this policy revision may ask another question now. */
  public boolean mayAsk(int serial, Consultation consultation) {
    return openOfPolicy.getOrDefault(serial, 0) < consultation.mostOpen();
  }

  /** Suspends the attempt until another question of its policy ends. */
  public void await(PodEntry pod, Attempt attempt, int serial, Consultation consultation) {
    waiting.add(pod, attempt, serial, consultation.mostOpen());
  }

  /** Suspends an attempt, and returns its question. */
  public AdviceRequest ask(
      PodEntry pod,
      Attempt attempt,
      ShapePlan plan,
      Asked asked,
      AdviceRequest.Question question,
      Instant now) {
    Consultation consultation = asked.consultation();
    Instant until = now.plus(consultation.timeout());
    long token = ++tokens;
    open.put(pod.ref().uid(), new Open(pod, attempt, token, asked, until));
    openOfPolicy.merge(asked.serial(), 1, Integer::sum);
    due = due.orEarlier(Due.at(until));
    return new AdviceRequest(
        token,
        pod.ref(),
        attempt,
        plan.policy().name(),
        plan.policy().revision(),
        consultation,
        question);
  }

  /** Handles an answer; answers to questions that are not open are ignored. */
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

  /**
   * Handles the end of a policy revision: attempts that wait for an answer or for their turn are
   * retried under another revision, whose advisors may be others. Later answers have no effect.
   */
  public void ended(int serial) {
    for (Open asked : List.copyOf(open.values())) {
      if (asked.asked().serial() == serial) {
        String uid = asked.pod().ref().uid();
        open.remove(uid);
        closed(asked);
        continued.put(uid, new Continued(asked.pod(), asked.attempt(), Optional.empty()));
      }
    }
    waiting
        .removeAll(serial)
        .forEach(turn -> continued.put(turn.pod().ref().uid(), continuedWithoutAnswer(turn)));
  }

  private static Continued continuedWithoutAnswer(WaitingTurns.Turn turn) {
    return new Continued(turn.pod(), turn.attempt(), Optional.empty());
  }

  /** Returns the next attempt to resume. */
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

  /** Returns the number of attempts that wait for advice, have it, or wait for their turn. */
  public int size() {
    return open.size() + continued.size() + waiting.size();
  }

  /** Returns the number of attempts that wait for their turn to ask. */
  public int waiting() {
    return waiting.size();
  }

  /**
   * Returns the time at which the first question times out; at once if an attempt can resume now.
   */
  @Override
  public Due due() {
    boolean idle =
        continued.isEmpty() && !waiting.isAnyDue(serial -> openOfPolicy.getOrDefault(serial, 0));
    return idle ? due : Due.AT_ONCE;
  }

  @Override
  public void run(Instant now) {
    if (!due.isReached(now)) {
      return;
    }
    due = Due.NEVER;
    for (Open asked : List.copyOf(open.values())) {
      if (asked.due().isAfter(now)) {
        due = due.orEarlier(Due.at(asked.due()));
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

package io.berth.engine.attempt;

import io.berth.engine.Advice;
import io.berth.engine.Attempt;
import io.berth.engine.Consult;
import io.berth.engine.PodRef;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Consultation;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attempts that have left the engine for advice, by their pods' UIDs. A pod has one at most; it
 * is in flight in the queue until the advice comes or is given up.
 */
public final class Consultations implements Timer {
  /** An attempt that is out for advice. */
  private record Open(PodEntry pod, Attempt attempt, long token, Question question, Instant due) {}

  /**
   * An attempt that goes on.
   *
   * @param question what was asked; the advice is no answer to another
   */
  public record Answered(PodEntry pod, Attempt attempt, Question question, Advice advice) {}

  /**
   * An open consultation, and the revision of the policy that asked.
   *
   * @param serial of the revision
   */
  public record Question(int serial, Consultation consultation) {}

  /** In the order in which they were asked. */
  private final Map<String, Open> open = new LinkedHashMap<>();

  /** In the order in which they were answered. */
  private final Map<String, Answered> answered = new LinkedHashMap<>();

  private Instant due = Instant.MAX;
  private long tokens;

  /** Sends an attempt out for advice about these nodes. */
  Consult ask(
      PodEntry pod,
      Attempt attempt,
      ShapePlan plan,
      Question question,
      List<String> nodes,
      Instant now) {
    Consultation consultation = question.consultation();
    Instant until = now.plus(consultation.timeout());
    long token = ++tokens;
    open.put(pod.ref().uid(), new Open(pod, attempt, token, question, until));
    due = until.isBefore(due) ? until : due;
    return new Consult(
        token,
        pod.ref(),
        attempt,
        plan.policy().name(),
        plan.policy().revision(),
        consultation,
        nodes);
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
    answered.put(uid, new Answered(asked.pod(), asked.attempt(), asked.question(), advice));
  }

  /** The attempt to go on with next. */
  public Optional<Answered> poll() {
    if (answered.isEmpty()) {
      return Optional.empty();
    }
    Iterator<Answered> first = answered.values().iterator();
    Answered attempt = first.next();
    first.remove();
    return Optional.of(attempt);
  }

  /**
   * Drops the pod's attempt.
   *
   * @return whether there was one
   */
  public boolean drop(String podUid) {
    return open.remove(podUid) != null || answered.remove(podUid) != null;
  }

  /** Returns the number of attempts that wait for advice, or have it and have not continued. */
  public int size() {
    return open.size() + answered.size();
  }

  /**
   * Returns the time at which the first question is given up; {@link Instant#MIN} while an attempt
   * can continue.
   */
  @Override
  public Instant due() {
    return answered.isEmpty() ? due : Instant.MIN;
  }

  @Override
  public void run(Instant now) {
    if (due.isAfter(now)) {
      return;
    }
    due = Instant.MAX;
    for (Open asked : List.copyOf(open.values())) {
      if (asked.due().isAfter(now)) {
        due = asked.due().isBefore(due) ? asked.due() : due;
      } else {
        Consultation consultation = asked.question().consultation();
        end(
            asked,
            new Advice.Unavailable(
                "%s did not answer within %s ms"
                    .formatted(consultation.name(), consultation.timeout().toMillis())));
      }
    }
  }
}

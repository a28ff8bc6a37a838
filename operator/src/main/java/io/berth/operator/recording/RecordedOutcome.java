package io.berth.operator.recording;

import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The answer of an engine, as far as a replay compares it.
 *
 * @param kind the kind of the answer
 * @param pod the pod that it is about; empty if it is about none
 * @param nodeName the node; empty if there is none
 * @param victims the pods to evict
 * @param message the reason, in words; empty for a placement
 * @param digest a digest of everything else: attempts, times, scores, rejections, and what is
 *     written with the Binding
 */
public record RecordedOutcome(
    Kind kind,
    Optional<PodRef> pod,
    String nodeName,
    List<PodRef> victims,
    String message,
    long digest) {
  /** The kinds of answers. */
  public enum Kind {
    PLACED,
    UNSCHEDULABLE,
    NOMINATED,
    QUARANTINED,
    GIVEN_BACK,
    /** An advisor is asked. */
    ADVICE_REQUESTED,
    /** Nothing is decided. */
    IDLE,
    /** The engine failed. */
    FAILED
  }

  public RecordedOutcome {
    victims = List.copyOf(victims);
  }

  /** Returns the answer of an engine that failed. */
  static RecordedOutcome failed(PodRef pod) {
    return new RecordedOutcome(Kind.FAILED, Optional.of(pod), "", List.of(), "", 0);
  }

  static RecordedOutcome of(Outcome outcome) {
    return switch (outcome) {
      case Idle idle ->
          new RecordedOutcome(
              Kind.IDLE,
              Optional.empty(),
              "",
              List.of(),
              "",
              Digest.of().add(idle.until()).value());
      case AdviceRequest asked ->
          new RecordedOutcome(
              Kind.ADVICE_REQUESTED,
              Optional.of(asked.pod()),
              "",
              List.of(),
              "",
              Digest.of().add(asked.token()).value());
      case Decision.Placed placed ->
          of(
              Kind.PLACED,
              placed,
              placed.nodeName(),
              List.of(),
              "",
              digest(placed).add(cards(placed)).add(placed.labels()).add(placed.preBind()));
      case Decision.Unschedulable rejected ->
          of(
              Kind.UNSCHEDULABLE,
              rejected,
              rejected.nominatedNode().orElse(""),
              rejected.wouldEvict().map(Decision.WouldEvict::victims).orElse(List.of()),
              rejected.message(),
              digest(rejected).add(rejected.cause()).add(rejected.waits()));
      case Decision.Nominated nominated ->
          of(
              Kind.NOMINATED,
              nominated,
              nominated.nodeName(),
              nominated.victims(),
              nominated.message(),
              digest(nominated).add(nominated.yielding()));
      case Decision.Quarantined quarantined ->
          of(
              Kind.QUARANTINED,
              quarantined,
              "",
              List.of(),
              quarantined.message(),
              digest(quarantined).add(quarantined.until()));
      case Decision.GivenBack givenBack ->
          of(
              Kind.GIVEN_BACK,
              givenBack,
              givenBack.nodeName(),
              List.of(),
              givenBack.message(),
              digest(givenBack));
    };
  }

  private static RecordedOutcome of(
      Kind kind,
      Decision decision,
      String nodeName,
      List<PodRef> victims,
      String message,
      Digest digest) {
    return new RecordedOutcome(
        kind, Optional.of(decision.pod()), nodeName, victims, message, digest.value());
  }

  /** Returns the cards in the format that recordings have compared from the beginning. */
  private static Map<String, String> cards(Decision.Placed placed) {
    return placed
        .assignment(CardAssignment.class)
        .map(cards -> Map.of(CardAssignment.ANNOTATION, cards.toJson()))
        .orElse(Map.of());
  }

  /** Digests the attempt, and the scores and rejections behind a decision. */
  private static Digest digest(Decision decision) {
    Digest digest =
        Digest.of()
            .add(decision.attempt().number())
            .add(decision.attempt().firstActive())
            .add(decision.record().policy())
            .add(decision.record().policyRevision())
            .add(decision.record().feasibleNodes());
    for (NodeScore node : decision.record().bestNodes()) {
      digest.add(node.node()).add(node.total());
      for (PluginScore score : node.plugins()) {
        digest.add(score.plugin()).add(score.raw()).add(score.normalized()).add(score.weight());
      }
    }
    for (Rejection rejection : decision.record().rejections()) {
      digest.add(rejection.plugin()).add(rejection.reason()).add(rejection.nodes());
    }
    return digest;
  }

  /** Returns the answer in words. */
  String text() {
    String what =
        switch (kind) {
          case PLACED -> "placed on " + nodeName;
          case UNSCHEDULABLE -> "unschedulable";
          case NOMINATED ->
              "nominated for %s after evicting %s"
                  .formatted(
                      nodeName,
                      victims.stream().map(PodRef::toString).collect(Collectors.joining(", ")));
          case QUARANTINED -> "quarantined";
          case GIVEN_BACK -> "releases " + nodeName;
          case ADVICE_REQUESTED -> "asks an extender";
          case IDLE -> "nothing to decide";
          case FAILED -> "the engine failed";
        };
    String whole = message.isEmpty() ? what : what + ": " + message;
    return pod.map(about -> about + " " + whole).orElse(whole);
  }
}

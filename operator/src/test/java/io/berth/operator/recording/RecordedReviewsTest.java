package io.berth.operator.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.WhatIf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Before each decision of a recording, a what-if question about the pod is answered as the recorded
 * engine then decides: with the same result, and a node with the same score. Pods of groups, which
 * are placed together, and those about which extenders are asked are left out.
 */
class RecordedReviewsTest {
  private Engine engine;
  private Mirror mirror;
  private int compared;
  private final List<String> differences = new ArrayList<>();

  static List<Path> recordings() throws IOException {
    return KeptRecordingsTest.recordings();
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void review_isAnsweredAsTheRecordedEngineThenDecides(Path recording) throws IOException {
    for (Path file : RecordingFiles.in(recording)) {
      try (StepReader steps = new StepReader(file, UnaryOperator.identity())) {
        for (Optional<Step> next = steps.next(); next.isPresent(); next = steps.next()) {
          take(next.get());
        }
      }
    }

    assertThat(differences).as("of %d", compared).isEmpty();
    assertThat(compared).isGreaterThan(400);
  }

  private void take(Step step) {
    switch (step) {
      case Step.Begun begun -> {
        engine = new Engine(begun.options().forReplay());
        mirror = new Mirror(begun.options().forReplay());
      }
      case Step.Applied applied -> {
        engine.apply(applied.event(), applied.at());
        mirror.apply(applied.event(), applied.at());
      }
      case Step.Asked asked -> decide(asked);
    }
  }

  private void decide(Step.Asked asked) {
    Optional<PlacementAnswer> answer = asked.outcome().pod().flatMap(pod -> ask(pod, asked.at()));
    Outcome outcome = engine.next(asked.at());
    if (!(outcome instanceof Decision decision)) {
      return;
    }
    answer.ifPresent(
        given -> {
          compared++;
          if (!answered(given).equals(decided(decision))) {
            differences.add(
                "%s: asked %s, decided %s"
                    .formatted(decision.pod(), answered(given), decided(decision)));
          }
        });
    mirror(decision, asked.at());
  }

  /** Lets the mirror know of a placement that is being bound, as the feed of Berth does. */
  private void mirror(Decision decision, Instant at) {
    if (decision instanceof Decision.Placed placed) {
      mirror.apply(
          new ClusterEvent.PodAssumed(
              placed.pod(), placed.nodeName(), placed.preBind(), placed.assignments()),
          at);
    }
  }

  private Optional<PlacementAnswer> ask(PodRef ref, Instant at) {
    Optional<PodModel> pod = mirror.pod(ref.namespace(), ref.name());
    if (pod.isEmpty() || pod.get().group().isPresent()) {
      return Optional.empty();
    }
    Hypothesis withoutThePod =
        new Hypothesis(List.of(), Set.of(), Set.of(), List.of(ref), Optional.empty());
    PlacementQuestion question = new PlacementQuestion(pod.get(), 1, false, withoutThePod);
    return Optional.of(WhatIf.answer(mirror, question, at, () -> false))
        .filter(answer -> !answer.advised()); // a review asks no extender
  }

  private static String answered(PlacementAnswer answer) {
    if (answer.placements().isEmpty()) {
      return "does not fit: " + answer.notPlaced().orElseThrow().message();
    }
    PlacementAnswer.Placement placed = answer.placements().getFirst();
    return placed.victims().isEmpty()
        ? "fits with score " + score(placed.record(), placed.node())
        : "fits without " + placed.victims();
  }

  private static String decided(Decision decision) {
    return switch (decision) {
      case Decision.Placed placed -> "fits with score " + score(placed.record(), placed.nodeName());
      case Decision.Nominated nominated -> "fits without " + nominated.victims();
      case Decision.Unschedulable rejected -> "does not fit: " + rejected.message();
      case Decision.Quarantined failed -> "failed: " + failed.message();
      case Decision.GivenBack given -> "is given back: " + given.message();
    };
  }

  private static long score(DecisionRecord record, String node) {
    return record.bestNodes().stream()
        .filter(scored -> scored.node().equals(node))
        .mapToLong(NodeScore::total)
        .findFirst()
        .orElseThrow();
  }
}

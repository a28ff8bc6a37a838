package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Shadow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gives a new engine the events of a recording at the recorded times, and compares its decisions
 * with the recorded ones.
 *
 * <p>Other policies can be tried on the recording: each is the shadow of the recorded one, for all
 * pods, so each pod is compared in the state in which it was decided.
 */
public final class Replay {
  /** Follows the name of a policy whose replacement is tried. */
  private static final String TRIED = " (tried)";

  private static final int ALL = 100;
  private static final int MOST_CHANGES = 100;

  private final Map<String, CompiledPolicy> tried = new TreeMap<>();
  private final Map<String, PolicyComparison> comparisons = new TreeMap<>();
  private final Set<String> served = new HashSet<>();
  private long events;
  private long decisions;
  private @Nullable Instant from;
  private @Nullable Instant to;
  private boolean isCutOff;

  /**
   * The decision at which a replay differs from its recording.
   *
   * @param step the number of the step in its file, from 1
   * @param replayed the decision of the replay; empty if the engine failed
   */
  public record Difference(
      Path file,
      long step,
      Instant at,
      RecordedOutcome recorded,
      Optional<RecordedOutcome> replayed,
      String failure) {
    /** Returns the difference in words. */
    public String text() {
      return "%s, step %d at %s:%n  recorded: %s%n  replayed: %s"
          .formatted(
              file,
              step,
              at,
              recorded.text(),
              replayed
                  .map(
                      now ->
                          now.text().equals(recorded.text())
                              ? now.text() + " (with other scores, times, or reasons)"
                              : now.text())
                  .orElse(failure));
    }
  }

  /**
   * @param tried the policies that are tried, by the name of the recorded policy in whose place
   */
  public Replay(Map<String, CompiledPolicy> tried) {
    tried.forEach(
        (name, policy) -> {
          this.tried.put(name, policy.withShadow(Optional.empty()).withName(name + TRIED));
          comparisons.put(name, new PolicyComparison(MOST_CHANGES));
        });
  }

  /**
   * Replays files, until the first difference.
   *
   * @param renaming returns what is read in place of a text of the recording
   * @throws IOException if a file cannot be read; the message names it
   */
  public ReplayReport run(List<Path> files, UnaryOperator<String> renaming) throws IOException {
    for (Path file : files) {
      Optional<Difference> difference = replay(file, renaming);
      if (difference.isPresent()) {
        return report(files, difference);
      }
    }
    return report(files, Optional.empty());
  }

  /** Returns the names of tried policies that the recording does not have. */
  public Set<String> unknown() {
    Set<String> unknown = new TreeSet<>(tried.keySet());
    unknown.removeAll(served);
    return unknown;
  }

  private ReplayReport report(List<Path> files, Optional<Difference> difference) {
    return new ReplayReport(
        files.size(),
        events,
        decisions,
        Optional.ofNullable(from),
        Optional.ofNullable(to),
        isCutOff,
        difference,
        new LinkedHashMap<>(comparisons));
  }

  private Optional<Difference> replay(Path file, UnaryOperator<String> renaming)
      throws IOException {
    ReplayedEngine engine = new ReplayedEngine(file);
    try (StepReader steps = new StepReader(file, renaming)) {
      long number = 0;
      for (Optional<Step> next = steps.next(); next.isPresent(); next = steps.next()) {
        number++;
        Optional<Difference> difference = take(next.get(), engine, file, number);
        if (difference.isPresent()) {
          return difference;
        }
      }
      isCutOff |= steps.isCutOff();
    } finally {
      decisions += engine.decisions();
    }
    return Optional.empty();
  }

  private Optional<Difference> take(Step step, ReplayedEngine engine, Path file, long number)
      throws IOException {
    switch (step) {
      case Step.Begun begun -> {
        engine.begin(begun.options());
        for (CompiledPolicy policy : tried.values()) {
          engine.apply(new ClusterEvent.PolicyServed(policy), Instant.EPOCH);
        }
      }
      case Step.Applied applied -> {
        at(applied.at());
        events++;
        engine.apply(replaced(applied.event()), applied.at());
      }
      case Step.Asked asked -> {
        at(asked.at());
        Optional<RecordedOutcome> outcome = engine.next(asked.at());
        engine.takeShadowDecisions().forEach(this::compared);
        if (outcome.isEmpty() || !outcome.get().equals(asked.outcome())) {
          return Optional.of(
              new Difference(file, number, asked.at(), asked.outcome(), outcome, engine.failure()));
        }
      }
    }
    return Optional.empty();
  }

  private void at(Instant time) {
    if (from == null) {
      from = time;
    }
    to = time;
  }

  /** Returns the event with the shadow to try, instead of the one that was recorded. */
  private ClusterEvent replaced(ClusterEvent event) {
    if (!(event instanceof ClusterEvent.PolicyServed recorded)) {
      return event;
    }
    String name = recorded.policy().name();
    served.add(name);
    CompiledPolicy other = tried.get(name);
    Optional<Shadow> shadow =
        other == null ? Optional.empty() : Optional.of(new Shadow(other.name(), ALL, false));
    return recorded.with(policy -> policy.withShadow(shadow));
  }

  private void compared(ShadowDecision decision) {
    PolicyComparison comparison = comparisons.get(decision.policy());
    if (comparison != null) {
      comparison.add(decision);
    }
  }
}

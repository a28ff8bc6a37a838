package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.crds.rollout.RolloutCounts;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.feed.FedPod;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.rollout.SpecRevision;
import io.berth.webhook.template.TemplateKind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of both revisions of each config that is rolled out, counted from the pods that
 * exist: the webhook records in each which revision was rendered, or refused it. All configs are
 * counted in one pass over the pods. Thread-safe.
 */
final class RenderedTally {
  /** The time for which counts are used at least. */
  private static final Duration KEPT = Duration.ofSeconds(1);

  /** The time after which a config that is not asked for any more is not counted. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(1);

  /** Counting may take one part in this many of the time. */
  private static final int SHARE = 20;

  private final Supplier<ConfigCatalog> catalog;
  private final Supplier<Stream<FedPod>> pods;
  private final Clock clock;

  // Guarded by this.
  private final Map<Config, Followed> followed = new HashMap<>();
  private Instant keptUntil = Instant.MIN;

  private record Config(TemplateKind kind, String name) {
    BindingField field() {
      return kind == TemplateKind.NODE ? BindingField.NODE_CONFIGS : BindingField.POD_CONFIGS;
    }
  }

  /** The rollout of a config: pods created before it began do not count. */
  private record Rollout(Instant began, String first, String last, String stable) {
    boolean isNewer(String revision) {
      return SpecRevision.isBetween(revision, first, last);
    }
  }

  private record Followed(Rollout rollout, Optional<Results> results, Instant asked) {}

  RenderedTally(Supplier<ConfigCatalog> catalog, Supplier<Stream<FedPod>> pods, Clock clock) {
    this.catalog = catalog;
    this.pods = pods;
    this.clock = clock;
  }

  /** Returns the results of a rollout; until its pods are counted, those of its last state. */
  synchronized Results of(TemplateKind kind, String name, RolloutProgress progress) {
    @Nullable RolloutStatus last = progress.before();
    if (last == null || last.began() == null || last.stableRevision() == null) {
      return Results.NONE;
    }
    Rollout rollout =
        new Rollout(
            Instant.parse(last.began()),
            progress.firstRevision(),
            progress.latest().revision(),
            last.stableRevision());
    Instant now = clock.instant();
    followed.compute(
        new Config(kind, name),
        (config, before) ->
            before != null && before.rollout().equals(rollout)
                ? new Followed(rollout, before.results(), now)
                : new Followed(rollout, Optional.empty(), now));
    if (!now.isBefore(keptUntil)) {
      count(now);
      Duration paid = Duration.between(now, clock.instant()).multipliedBy(SHARE);
      keptUntil = now.plus(paid.compareTo(KEPT) > 0 ? paid : KEPT);
    }
    return followed.get(new Config(kind, name)).results().orElse(progress.lastResults());
  }

  private void count(Instant now) {
    followed.values().removeIf(each -> each.asked().plus(FORGOTTEN).isBefore(now));
    ConfigCatalog current = catalog.get();
    Map<Config, Sides> sides = new HashMap<>();
    followed.forEach((config, each) -> sides.put(config, new Sides(config, each.rollout())));
    pods.get().forEach(pod -> count(pod, sides.values(), current));
    sides.forEach(
        (config, counted) ->
            followed.computeIfPresent(
                config,
                (same, each) ->
                    new Followed(each.rollout(), Optional.of(counted.results()), each.asked())));
  }

  private static void count(FedPod pod, Iterable<Sides> all, ConfigCatalog catalog) {
    String text = pod.annotations().getOrDefault(Annotations.APPLIED, "");
    if (text.isEmpty()) {
      return;
    }
    @Nullable AppliedFields applied = null;
    for (Sides sides : all) {
      if (text.contains(sides.mention) && !pod.createdAt().isBefore(sides.rollout.began())) {
        applied = applied == null ? AppliedFields.of(pod.annotations()) : applied;
        sides.count(pod, applied, catalog);
      }
    }
  }

  /** The counts of both revisions of a config. */
  private static final class Sides {
    private final Config config;
    private final Rollout rollout;
    private final String mention;
    private final Map<String, Boolean> allowed = new HashMap<>();
    private final Counter canary = new Counter();
    private final Counter stable = new Counter();

    Sides(Config config, Rollout rollout) {
      this.config = config;
      this.rollout = rollout;
      this.mention = config.name() + "@";
    }

    void count(FedPod pod, AppliedFields applied, ConfigCatalog catalog) {
      if (!allowed.computeIfAbsent(
          pod.ref().namespace(), namespace -> allows(namespace, catalog))) {
        return;
      }
      Optional<String> revision = applied.revision(config.field(), config.name());
      if (applied
          .refusedRevision(config.field(), config.name())
          .filter(rollout::isNewer)
          .isPresent()) {
        canary.denied();
      } else if (revision.filter(rollout::isNewer).isPresent()) {
        canary.add(pod);
      } else if (revision.filter(rollout.stable()::equals).isPresent()) {
        stable.add(pod);
      }
    }

    private boolean allows(String namespace, ConfigCatalog catalog) {
      return catalog
          .config(config.kind(), config.name())
          .filter(served -> catalog.allows(served.allowedNamespaces(), namespace))
          .isPresent();
    }

    Results results() {
      return new Results(canary.counts(), stable.counts());
    }
  }

  /** Counts the pods of one revision. */
  private static final class Counter {
    private long pods;
    private long unschedulable;
    private long denied;

    void add(FedPod pod) {
      pods++;
      if (pod.nodeName().isEmpty() && pod.notScheduled().reason().equals("Unschedulable")) {
        unschedulable++;
      }
    }

    void denied() {
      pods++;
      denied++;
    }

    RolloutCounts counts() {
      return new RolloutCounts(pods, unschedulable, denied);
    }
  }
}

package io.berth.webhook.admission;

import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.Resolution;
import io.berth.webhook.binding.Source;
import io.berth.webhook.error.ErrorCode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves the choices for a pod without the bindings that cannot be applied to it. A binding is
 * checked in all of its fields as soon as it decides one of them, and if one is wrong, it
 * contributes nothing.
 */
final class SoundBindings {
  private final PodSubject pod;
  private final ConfigCatalog catalog;
  private final boolean withDryRun;
  private final FieldRenderer renderer;
  private final PolicyCheck policies;

  private final Map<BindingKey, PlatformMistake> broken = new LinkedHashMap<>();
  private final Set<BindingKey> sound = new HashSet<>();
  private final Map<Choice, FieldRendering> rendered = new HashMap<>();

  SoundBindings(
      PodSubject pod,
      ConfigCatalog catalog,
      boolean withDryRun,
      FieldRenderer renderer,
      PolicyCheck policies) {
    this.pod = pod;
    this.catalog = catalog;
    this.withDryRun = withDryRun;
    this.renderer = renderer;
    this.policies = policies;
  }

  /** Returns the renderer of the pod's configs. */
  FieldRenderer renderer() {
    return renderer;
  }

  /** Resolves the choices; each of those made by a binding can be applied. */
  Resolution resolve() {
    while (true) {
      Resolution resolution = catalog.resolve(pod, withDryRun, broken.keySet());
      List<BindingKey> unchecked =
          resolution.choices().stream()
              .map(Choice::source)
              .filter(Source.OfBinding.class::isInstance)
              .map(source -> ((Source.OfBinding) source).key())
              .filter(key -> !sound.contains(key))
              .distinct()
              .toList();
      if (unchecked.isEmpty()) {
        return resolution;
      }
      for (BindingKey key : unchecked) {
        mistake(key).ifPresentOrElse(mistake -> broken.put(key, mistake), () -> sound.add(key));
      }
    }
  }

  /**
   * Renders again with the last complete revision of a config; see {@link
   * FieldRenderer#withdrawNewer}.
   */
  boolean withdrawNewer(String config) {
    rendered.clear();
    sound.clear();
    return renderer.withdrawNewer(config);
  }

  /** Sets a binding aside for a reason that only shows when everything is put together. */
  void setAside(BindingKey key, PlatformMistake mistake) {
    sound.remove(key);
    broken.put(key, mistake);
    rendered.clear();
    renderer.renderNewerAgain();
  }

  /** Returns why bindings were set aside. */
  List<PlatformMistake> mistakes() {
    return List.copyOf(broken.values());
  }

  /** Renders a choice of configs; that of a binding once. */
  FieldRendering render(Choice choice) {
    return choice.source() instanceof Source.OfBinding
        ? rendered.computeIfAbsent(choice, renderer::render)
        : renderer.render(choice);
  }

  private Optional<PlatformMistake> mistake(BindingKey key) {
    for (Choice offer : catalog.offers(key)) {
      Optional<PlatformMistake> mistake =
          switch (offer.field()) {
            case NODE_CONFIGS, POD_CONFIGS -> mistakeInConfigs(offer);
            case SCHEDULING_POLICY -> mistakeInPolicy(offer);
            case GROUP -> Optional.empty();
            case QUEUE -> mistakeInQueue(key, offer);
          };
      if (mistake.isPresent()) {
        return mistake;
      }
    }
    return Optional.empty();
  }

  private Optional<PlatformMistake> mistakeInConfigs(Choice offer) {
    return render(offer) instanceof FieldRendering.PlatformProblem(Source _, PlatformMistake found)
        ? Optional.of(found)
        : Optional.empty();
  }

  private Optional<PlatformMistake> mistakeInQueue(BindingKey key, Choice offer) {
    return offer
        .queue()
        .filter(queue -> !catalog.admits(queue, pod.namespace()))
        .map(
            queue ->
                PlatformMistake.ofBinding(
                    ErrorCode.BINDING_REFERENCE_UNKNOWN,
                    key,
                    "spec.queue names SchedulingQueue \"%s\", which does not exist, has parts, or does not admit namespace %s"
                        .formatted(queue, pod.namespace())));
  }

  private Optional<PlatformMistake> mistakeInPolicy(Choice offer) {
    return policies.check(offer) instanceof PolicyCheck.Unusable(PlatformMistake found)
        ? Optional.of(found)
        : Optional.empty();
  }
}

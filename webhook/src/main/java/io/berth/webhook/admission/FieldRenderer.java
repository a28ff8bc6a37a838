package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.ArgumentsByConfig;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.argument.NamedConfigs;
import io.berth.webhook.argument.RefusedArguments;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.binding.Source;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.merge.RenderedConfig;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.InvalidTemplate;
import io.berth.webhook.template.PodFacts;
import io.berth.webhook.template.Rendered;
import io.berth.webhook.template.Rendering;
import io.berth.webhook.template.RenderingRefused;
import io.berth.webhook.template.TemplateKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Renders the configs of one field of one pod, and separates errors that the author of the pod must
 * fix from those that the platform team must fix.
 */
final class FieldRenderer {
  private static final int SHOWN_NAMES = 10;

  private final CatalogReader reader;
  private final ConfigCatalog catalog;
  private final PodSubject pod;
  private final PodFacts facts;

  /** The configs of which the newer revision is not rendered into this pod. */
  private final Set<String> withdrawn = new HashSet<>();

  /** The configs of which the newer revision was rendered. */
  private final Set<String> newer = new HashSet<>();

  FieldRenderer(CatalogReader reader, ConfigCatalog catalog, PodSubject pod, PodFacts facts) {
    this.reader = reader;
    this.catalog = catalog;
    this.pod = pod;
    this.facts = facts;
  }

  FieldRendering render(Choice choice) {
    TemplateKind kind =
        choice.field() == BindingField.NODE_CONFIGS ? TemplateKind.NODE : TemplateKind.POD;
    return switch (choice.source()) {
      case Source.OfPod ofPod -> renderAnnotated(kind, ofPod);
      case Source.OfBinding ofBinding -> renderBound(kind, choice, ofBinding);
    };
  }

  /**
   * Makes the next rendering use the last complete revision of a config, because the pod cannot
   * take the result; of all configs if this one has no newer revision.
   *
   * @param config the config as the source of a {@link RenderedConfig}
   * @return false if no newer revision was rendered, so that nothing would change
   */
  boolean withdrawNewer(String config) {
    return (newer.contains(config) && withdrawn.add(config)) || withdrawn.addAll(newer);
  }

  /** Makes the next rendering use newer revisions again, because what it is merged with changes. */
  void renderNewerAgain() {
    withdrawn.clear();
    newer.clear();
  }

  /** Returns a problem if the pod has arguments but names no config of this kind. */
  Optional<Problem> argumentsWithoutConfigs(TemplateKind kind) {
    return pod.annotation(argsAnnotation(kind)).isPresent()
            && pod.annotation(namesAnnotation(kind)).isEmpty()
        ? Optional.of(
            new Problem(
                ErrorCode.ARGUMENTS_FOR_UNNAMED_CONFIG,
                ArgumentParser.placeOf(argsAnnotation(kind)),
                "contains arguments, but the pod does not name a "
                    + kind.kind()
                    + " for them: add the annotation "
                    + namesAnnotation(kind)
                    + ", or remove the arguments"))
        : Optional.empty();
  }

  private FieldRendering renderAnnotated(TemplateKind kind, Source.OfPod source) {
    String annotation = namesAnnotation(kind);
    ArgumentParser parser = new ArgumentParser();
    NamedConfigs named;
    switch (parser.names(annotation, pod.annotation(annotation).orElse(""))) {
      case NamedConfigs configs -> named = configs;
      case RefusedArguments refused -> {
        return new FieldRendering.AppTeamProblems(refused.problems());
      }
    }
    Map<String, GivenArguments> arguments;
    List<Problem> problems = new ArrayList<>();
    switch (parser.parse(
        kind.kind(), argsAnnotation(kind), pod.annotation(argsAnnotation(kind)), named.names())) {
      case ArgumentsByConfig byConfig -> arguments = byConfig.byConfig();
      case RefusedArguments refused -> {
        arguments = Map.of();
        problems.addAll(refused.problems());
      }
    }
    List<RenderedConfig> rendered = new ArrayList<>();
    List<String> references = new ArrayList<>();
    List<String> refusedRevisions = new ArrayList<>();
    List<PlatformMistake> mistakes = new ArrayList<>();
    for (String name : named.names()) {
      Optional<ServedConfig> config;
      try {
        config = reader.config(catalog, kind, name, pod.namespace());
      } catch (LookupFailedException e) {
        mistakes.add(lookupFailed(kind, name, e));
        continue;
      }
      if (config.isEmpty()) {
        problems.add(unknown(kind, name, annotation));
      } else if (config.get().compilation() instanceof InvalidTemplate invalid) {
        mistakes.add(broken(kind, name, invalid));
      } else if (config.get().compilation() instanceof CompiledTemplate template
          && arguments.containsKey(name)) {
        Revision revision = revision(config.get(), template, arguments.get(name), refusedRevisions);
        switch (revision.rendering()) {
          case Rendered result -> {
            rendered.add(new RenderedConfig(nameOf(config.get()), result.fields()));
            references.add(name + "@" + revision.name());
          }
          case RenderingRefused refused -> problems.addAll(inPod(refused.problems(), kind, name));
        }
      }
    }
    return problems.isEmpty()
        ? new FieldRendering.Done(source, rendered, references, refusedRevisions, mistakes)
        : new FieldRendering.AppTeamProblems(problems);
  }

  private FieldRendering renderBound(TemplateKind kind, Choice choice, Source.OfBinding source) {
    List<RenderedConfig> rendered = new ArrayList<>();
    List<String> references = new ArrayList<>();
    List<String> refusedRevisions = new ArrayList<>();
    String list = kind == TemplateKind.NODE ? "nodeConfigs" : "podConfigs";
    int index = 0;
    for (ConfigReference reference : choice.configs()) {
      String name = reference.name();
      String place = "spec." + list + "[" + index++ + "]";
      String named = place + " names " + kind.kind() + " \"" + name + "\", ";
      Optional<ServedConfig> config;
      try {
        config = reader.config(catalog, kind, name, pod.namespace());
      } catch (LookupFailedException e) {
        return mistake(
            source,
            ErrorCode.LOOKUP_FAILED,
            named + "and Berth could not determine whether it exists (" + e.getMessage() + ")");
      }
      if (config.isEmpty()) {
        return mistake(
            source,
            ErrorCode.BINDING_REFERENCE_UNKNOWN,
            named + "which does not exist, or which namespace " + pod.namespace() + " may not use");
      }
      switch (config.get().compilation()) {
        case InvalidTemplate invalid -> {
          return mistake(
              source,
              ErrorCode.CONFIG_BROKEN,
              named + "which has invalid templates (" + invalid.problems().getFirst().text() + ")");
        }
        case CompiledTemplate template -> {
          GivenArguments given =
              new GivenArguments(kind.kind() + " " + name, place + ".args", tree(reference));
          Revision revision = revision(config.get(), template, given, refusedRevisions);
          switch (revision.rendering()) {
            case Rendered result -> {
              rendered.add(new RenderedConfig(nameOf(config.get()), result.fields()));
              references.add(name + "@" + revision.name());
            }
            case RenderingRefused refused -> {
              return mistake(
                  source, ErrorCode.BINDING_REFUSED, refused.problems().getFirst().text());
            }
          }
        }
      }
    }
    return new FieldRendering.Done(source, rendered, references, refusedRevisions, List.of());
  }

  /** The result of rendering one revision of a config. */
  private record Revision(String name, Rendering rendering) {}

  /**
   * Renders the revision that applies to the pod's workload. If a newer one applies and refuses the
   * pod, the last complete one is rendered: a change that is rolled out in steps denies no pod.
   *
   * @param template the template of the last complete revision
   * @param refused receives the newer revision if it refuses the pod
   */
  private Revision revision(
      ServedConfig config, CompiledTemplate template, GivenArguments given, List<String> refused) {
    Optional<ServedConfig> applying =
        config
            .newer()
            .filter(it -> it.includes(pod.namespace(), catalog.workload(pod)))
            .map(ServedConfig.Newer::config);
    if (applying.isPresent()) {
      String name = nameOf(config);
      if (!withdrawn.contains(name)
          && applying.get().compilation() instanceof CompiledTemplate changed
          && render(changed, given) instanceof Rendered result) {
        newer.add(name);
        return new Revision(applying.get().revision(), result);
      }
      refused.add(config.name() + "@" + applying.get().revision());
    }
    return new Revision(config.revision(), render(template, given));
  }

  private static String nameOf(ServedConfig config) {
    return config.kind().kind() + " " + config.name();
  }

  /**
   * Checks the arguments and renders the template with them; invalid arguments are reported as
   * problems of the rendering.
   */
  private Rendering render(CompiledTemplate template, GivenArguments given) {
    return switch (template.parameters().check(given)) {
      case Arguments arguments -> template.render(arguments, facts);
      case RefusedArguments refused -> new RenderingRefused(refused.problems());
    };
  }

  /**
   * Reports a problem at a path of a config at the pod's arguments annotation instead, with the
   * path in the message.
   */
  private List<Problem> inPod(List<Problem> problems, TemplateKind kind, String name) {
    return problems.stream()
        .map(
            problem ->
                problem.path().startsWith("spec")
                    ? new Problem(
                        problem.code(),
                        ArgumentParser.placeOf(argsAnnotation(kind)),
                        "the arguments are valid, but "
                            + kind.kind()
                            + " "
                            + name
                            + " cannot be rendered with them for this pod; "
                            + problem.path()
                            + ": "
                            + problem.message())
                    : problem)
        .toList();
  }

  private Problem unknown(TemplateKind kind, String name, String annotation) {
    List<String> usable =
        catalog.configNames(kind).stream()
            .filter(each -> catalog.config(kind, each).map(this::isAllowed).orElse(false))
            .sorted()
            .toList();
    String known =
        usable.isEmpty()
            ? "none is available in it yet"
            : "available: "
                + String.join(", ", usable.subList(0, Math.min(SHOWN_NAMES, usable.size())))
                + (usable.size() > SHOWN_NAMES
                    ? " and " + (usable.size() - SHOWN_NAMES) + " more"
                    : "");
    return new Problem(
        ErrorCode.CONFIG_UNKNOWN,
        ArgumentParser.placeOf(annotation),
        "there is no "
            + kind.kind()
            + " \""
            + name
            + "\" that namespace "
            + pod.namespace()
            + " may use; "
            + known
            + NearestName.question(name, usable));
  }

  private boolean isAllowed(ServedConfig config) {
    return catalog.allows(config.allowedNamespaces(), pod.namespace());
  }

  private static FieldRendering mistake(Source.OfBinding source, ErrorCode code, String message) {
    return new FieldRendering.PlatformProblem(
        source, PlatformMistake.ofBinding(code, source.key(), message));
  }

  private static PlatformMistake broken(TemplateKind kind, String name, InvalidTemplate invalid) {
    return new PlatformMistake(
        ErrorCode.CONFIG_BROKEN,
        kind.kind() + " " + name,
        "it has invalid templates, so the pod is admitted without it: "
            + invalid.problems().getFirst().text());
  }

  private static PlatformMistake lookupFailed(
      TemplateKind kind, String name, LookupFailedException e) {
    return new PlatformMistake(
        ErrorCode.LOOKUP_FAILED,
        kind.kind() + " " + name,
        "Berth could not determine whether it exists ("
            + e.getMessage()
            + "), so the pod is admitted without it");
  }

  private static JsonNode tree(ConfigReference reference) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    reference.args().forEach(tree::set);
    return tree;
  }

  private static String namesAnnotation(TemplateKind kind) {
    return kind == TemplateKind.NODE ? Annotations.NSC : Annotations.PSC;
  }

  private static String argsAnnotation(TemplateKind kind) {
    return kind == TemplateKind.NODE ? Annotations.NSC_ARGS : Annotations.PSC_ARGS;
  }
}

package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.ValidationResult;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The webhook's review of stored objects, based on the current catalog. */
final class StoredObjectReview {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Codes that the webhook only warns about because they may resolve themselves, but that prevent
   * an object from working until then.
   */
  private static final Set<ErrorCode> UNRESOLVED =
      Set.of(ErrorCode.BINDING_REFERENCE_UNKNOWN, ErrorCode.CONFIG_BROKEN, ErrorCode.POLICY_BROKEN);

  /**
   * Codes of arguments that the config of a binding does not accept, or cannot be rendered with.
   */
  private static final Set<ErrorCode> ARGUMENTS =
      Set.of(
          ErrorCode.BINDING_REFUSED,
          ErrorCode.ARGUMENT_UNKNOWN,
          ErrorCode.ARGUMENT_MISSING,
          ErrorCode.ARGUMENT_TYPE,
          ErrorCode.ARGUMENT_NOT_ACCEPTED,
          ErrorCode.ARGUMENT_TOO_LARGE);

  private final ConfigValidator validator = WebhookEndpoint.validator();
  private final Supplier<ConfigCatalog> catalog;

  StoredObjectReview(Supplier<ConfigCatalog> catalog) {
    this.catalog = catalog;
  }

  ValidationResult of(HasMetadata resource) {
    return validator.validate(
        resource.getKind(),
        Optional.ofNullable(resource.getMetadata().getNamespace()).orElse(""),
        resource.getMetadata().getName(),
        JSON.valueToTree(resource),
        catalog.get());
  }

  /** Returns the finding for the Ready condition of a config or a binding. */
  Finding ready(HasMetadata resource) {
    ValidationResult findings = of(resource);
    if (!findings.problems().isEmpty()) {
      return new Finding(false, "Invalid", text(findings.problems()));
    }
    List<Problem> warnings = findings.warnings();
    String message = warnings.isEmpty() ? "" : text(warnings);
    if (!resource.getKind().equals("SchedulerConfigBinding")) {
      return new Finding(true, "InUse", message);
    }
    List<Problem> unresolved = of(UNRESOLVED, warnings);
    List<Problem> arguments = of(ARGUMENTS, warnings);
    if (!unresolved.isEmpty() || !arguments.isEmpty()) {
      return new Finding(
          false,
          unresolved.isEmpty() ? "ArgumentsInvalid" : "ReferencesUnresolved",
          text(Stream.concat(unresolved.stream(), arguments.stream()).toList()));
    }
    List<Problem> useless = of(Set.of(ErrorCode.BINDING_WITHOUT_EFFECT), warnings);
    if (!useless.isEmpty()) {
      return new Finding(false, "NoEffect", text(useless));
    }
    boolean idle = !of(Set.of(ErrorCode.BINDING_IDLE), warnings).isEmpty();
    return new Finding(true, idle ? "NoEffect" : "InUse", message);
  }

  private static List<Problem> of(Set<ErrorCode> codes, List<Problem> warnings) {
    return warnings.stream().filter(warning -> codes.contains(warning.code())).toList();
  }

  private static String text(List<Problem> problems) {
    return problems.stream().map(Problem::text).collect(Collectors.joining("\n"));
  }
}

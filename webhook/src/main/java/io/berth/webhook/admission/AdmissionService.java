package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.admission.AdmissionObserver.Verdict;
import io.berth.webhook.admission.CatalogSource.UpToDateCatalog;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.ValidationResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Handles AdmissionReviews. Thread-safe, and without side effects on the cluster.
 *
 * <p>If an internal error occurs, pods and workloads are allowed with a warning; for Berth's own
 * kinds the exception is thrown, so that the webhook's failurePolicy decides.
 */
public final class AdmissionService {
  private final CatalogSource catalogs;
  private final PodMutator mutator;
  private final ConfigValidator validator;
  private final AdmissionObserver observer;
  private final Optional<PodTracing> tracing;

  /**
   * Creates a service that does not check whether its catalogs are up to date.
   *
   * @param catalog supplies the newest catalog; called concurrently
   */
  public AdmissionService(
      Supplier<ConfigCatalog> catalog,
      PodMutator mutator,
      ConfigValidator validator,
      AdmissionObserver observer) {
    this(CatalogSource.of(catalog), mutator, validator, observer);
  }

  /**
   * Creates a service that handles each review with a catalog that is up to date as of the request.
   */
  public AdmissionService(
      CatalogSource catalogs,
      PodMutator mutator,
      ConfigValidator validator,
      AdmissionObserver observer) {
    this(catalogs, mutator, validator, observer, Optional.empty());
  }

  /**
   * Creates a service that handles each review with a catalog that is up to date as of the request.
   *
   * @param tracing traces the created pods; empty if tracing is disabled
   */
  public AdmissionService(
      CatalogSource catalogs,
      PodMutator mutator,
      ConfigValidator validator,
      AdmissionObserver observer,
      Optional<PodTracing> tracing) {
    this.catalogs = catalogs;
    this.mutator = mutator;
    this.validator = validator;
    this.observer = observer;
    this.tracing = tracing;
  }

  /**
   * Handles one review.
   *
   * @param body the AdmissionReview with a request, as JSON
   * @return the AdmissionReview with the response, as JSON
   * @throws BadReviewException if the body is not a valid AdmissionReview
   */
  public byte[] review(AdmissionPath path, byte[] body) throws BadReviewException {
    AdmissionRequest request = AdmissionRequest.read(body);
    if (request.operation().equals("DELETE")) {
      observer.reviewed(path, Verdict.UNCHANGED);
      return AdmissionAnswer.allowed(request.uid()).review();
    }
    try {
      AdmissionAnswer answer =
          switch (path) {
            case MUTATE_PODS -> mutatePod(request);
            case VALIDATE_CONFIGS -> validateConfig(request);
            case WARN_WORKLOADS -> warnWorkload(request);
          };
      return answer.review();
    } catch (RuntimeException e) {
      observer.failed(path, e);
      observer.reviewed(path, Verdict.FAILED);
      if (path == AdmissionPath.VALIDATE_CONFIGS) {
        throw e;
      }
      return AdmissionAnswer.allowed(request.uid())
          .warnings(
              List.of(
                  ErrorCode.INTERNAL.id()
                      + ": internal error in Berth; this object was not changed. See Berth's log ("
                      + e.getClass().getSimpleName()
                      + ")"))
          .review();
    }
  }

  private AdmissionAnswer mutatePod(AdmissionRequest request) {
    long began = System.nanoTime();
    JsonNode pod = request.object();
    if (!request.kind().equals("Pod")) {
      observer.reviewed(AdmissionPath.MUTATE_PODS, Verdict.UNCHANGED);
      return AdmissionAnswer.allowed(request.uid());
    }
    if (!pod.path("spec").path("nodeName").asText("").isEmpty()) {
      return answer(request, PodUpdate.judgeBound(request.oldObject(), pod), List.of());
    }
    PodSubject subject = subject(request);
    UpToDateCatalog known =
        catalogs.asOfNow(request.namespace(), catalog -> deciding(catalog, subject, pod));
    Optional<PlatformMistake> owner =
        known.catalog().learnRoot(subject).map(AdmissionService::owner);
    owner.ifPresent(observer::platformMistake);
    Optional<PlatformMistake> size =
        known.catalog().learnOwnerSize(subject).map(AdmissionService::size);
    size.ifPresent(observer::platformMistake);
    PodVerdict verdict =
        request.operation().equals("UPDATE")
            ? PodUpdate.judge(request.namespace(), request.oldObject(), pod, known.catalog())
            : mutator.mutate(subject, pod, known.catalog(), known.doubt().isPresent());
    if (verdict instanceof PodVerdict.Admitted admitted
        && request.operation().equals("CREATE")
        && !request.dryRun()) {
      tracing.ifPresent(
          traces ->
              TracedPod.trace(
                  traces,
                  request.namespace(),
                  pod,
                  admitted.patch(),
                  Duration.ofNanos(System.nanoTime() - began)));
    }
    List<Problem> warnings = new ArrayList<>();
    known.doubt().map(AdmissionService::behind).ifPresent(warnings::add);
    owner.map(PlatformMistake::warning).ifPresent(warnings::add);
    size.map(PlatformMistake::warning).ifPresent(warnings::add);
    return answer(request, verdict, warnings);
  }

  /**
   * @param warnings warnings beside those of the verdict
   */
  private AdmissionAnswer answer(
      AdmissionRequest request, PodVerdict verdict, List<Problem> warnings) {
    switch (verdict) {
      case PodVerdict.Admitted admitted -> {
        List<Problem> all = new ArrayList<>(warnings);
        all.addAll(admitted.warnings());
        admitted.mistakes().forEach(observer::platformMistake);
        observer.reviewed(
            AdmissionPath.MUTATE_PODS,
            admitted.patch().isEmpty() ? Verdict.UNCHANGED : Verdict.CHANGED);
        return AdmissionAnswer.allowed(request.uid())
            .patch(admitted.patch())
            .warnings(texts(all))
            .auditAnnotations(admitted.auditAnnotations());
      }
      case PodVerdict.Denied denied -> {
        deny(AdmissionPath.MUTATE_PODS, denied.problems());
        return AdmissionAnswer.forbidden(request.uid(), denied.problems());
      }
    }
  }

  /**
   * Returns the parts of the catalog that can affect a pod. A policy can affect pods that do not
   * use it, because its quota guard restricts PriorityClasses.
   */
  private static Set<CatalogPart> deciding(
      ConfigCatalog catalog, PodSubject subject, JsonNode pod) {
    Set<CatalogPart> parts = catalog.deciding(subject);
    if (!pod.path("spec").path("priorityClassName").asText("").isEmpty()) {
      parts.add(CatalogPart.POLICIES);
    }
    return parts;
  }

  /**
   * Reads the pod of a request. Any client can write an owner reference to a DaemonSet, so only the
   * DaemonSet controller's is trusted.
   */
  private static PodSubject subject(AdmissionRequest request) {
    return PodSubject.of(request.namespace(), request.object())
        .createdBy(request.isByDaemonSetController());
  }

  /**
   * Validates an object of one of Berth's kinds. An update that keeps the spec is never rejected
   * because of the spec; otherwise a rule that became stricter would block changes to finalizers
   * and labels.
   */
  private AdmissionAnswer validateConfig(AdmissionRequest request) {
    if (request.isBeingDeleted() || request.isOtherConfigMap()) {
      observer.reviewed(AdmissionPath.VALIDATE_CONFIGS, Verdict.UNCHANGED);
      return AdmissionAnswer.allowed(request.uid());
    }
    ValidationResult findings =
        validator.validate(
            request.kind(),
            request.namespace(),
            request.name(),
            request.object(),
            catalogs
                .asOfNow(request.namespace(), catalog -> EnumSet.allOf(CatalogPart.class))
                .catalog());
    List<Problem> warnings = new ArrayList<>();
    AdmissionAnswer answer;
    if (findings.problems().isEmpty() || request.keepsSpec()) {
      observer.reviewed(AdmissionPath.VALIDATE_CONFIGS, Verdict.UNCHANGED);
      warnings.addAll(findings.problems());
      answer = AdmissionAnswer.allowed(request.uid());
    } else {
      deny(AdmissionPath.VALIDATE_CONFIGS, findings.problems());
      answer = AdmissionAnswer.invalid(request, findings.problems());
    }
    warnings.addAll(findings.warnings());
    return answer.warnings(texts(warnings));
  }

  private static Problem behind(String why) {
    return new Problem(
        ErrorCode.CATALOG_BEHIND,
        "metadata",
        "the newest bindings, configs, and policies may not be applied to this pod ("
            + why
            + "): if one is missing, create the pod again");
  }

  private static PlatformMistake owner(String why) {
    return new PlatformMistake(
        ErrorCode.OWNER_UNKNOWN,
        "metadata.ownerReferences",
        "the root owner of this pod could not be read ("
            + why
            + "); the rollout of a binding was decided by the names of the owners instead");
  }

  private static PlatformMistake size(String why) {
    return new PlatformMistake(
        ErrorCode.LOOKUP_FAILED,
        "metadata.ownerReferences",
        "the number of pods of this pod's owner could not be read ("
            + why
            + "); the pod is not part of a group and is placed by itself");
  }

  /**
   * Reports problems of a workload's future pods as warnings to the user who applies the workload.
   */
  private AdmissionAnswer warnWorkload(AdmissionRequest request) {
    observer.reviewed(AdmissionPath.WARN_WORKLOADS, Verdict.UNCHANGED);
    AdmissionAnswer answer = AdmissionAnswer.allowed(request.uid());
    Optional<Workload> workload = Workload.of(request);
    if (workload.isEmpty() || request.isBeingDeleted()) {
      return answer;
    }
    JsonNode template = workload.get().template();
    PodSubject pod = PodSubject.of(request.namespace(), template);
    String name = request.object().path("metadata").path("name").asText(request.name());
    PodSubject owned =
        new PodSubject(
            pod.namespace(),
            name,
            pod.labels(),
            pod.annotations(),
            Optional.of(new Controller("", request.kind(), name, "")),
            pod.schedulerName(),
            request.kind().equals("DaemonSet"));
    List<String> warnings = new ArrayList<>(texts(workload.get().misplacedAnnotations()));
    UpToDateCatalog known =
        catalogs.asOfNow(request.namespace(), catalog -> deciding(catalog, owned, template));
    switch (mutator.mutate(owned, template, known.catalog(), known.doubt().isPresent())) {
      case PodVerdict.Admitted admitted ->
          admitted
              .warnings()
              .forEach(warning -> warnings.add(workload.get().inTemplate(warning).text()));
      case PodVerdict.Denied denied ->
          denied
              .problems()
              .forEach(
                  problem ->
                      warnings.add(
                          "the pods of this "
                              + request.kind()
                              + " would be denied: "
                              + workload.get().inTemplate(problem).text()));
    }
    return answer.warnings(warnings);
  }

  private static List<String> texts(List<Problem> problems) {
    return problems.stream().map(Problem::text).toList();
  }

  private void deny(AdmissionPath path, List<Problem> problems) {
    problems.forEach(problem -> observer.denied(path, problem.code()));
    observer.reviewed(path, Verdict.DENIED);
  }
}

package io.berth.sandbox.rest;

import io.berth.sandbox.admission.AdmissionChain;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.openapi.FieldCheck;
import io.berth.sandbox.openapi.SchemaCatalog;
import io.berth.sandbox.patch.PatchApplier;
import io.berth.sandbox.patch.ServerSideApply;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectStore;
import java.time.Clock;
import java.util.function.Function;

/**
 * The dependencies of the REST operations.
 *
 * @param store where objects are
 * @param registry which resources there are
 * @param schemas the kinds' schemas
 * @param fieldCheck decoding of built-in kinds
 * @param kinds the rules of a built-in kind
 * @param patcher patches but apply
 * @param apply server-side apply and field ownership
 * @param admission plugins and webhooks
 * @param customResources definitions of custom resources and their schemas
 * @param clock the time of timestamps
 * @param version the Kubernetes that the server looks like
 */
public record RestParts(
    ObjectStore store,
    ResourceRegistry registry,
    SchemaCatalog schemas,
    FieldCheck fieldCheck,
    Function<ResourceType, KindRules> kinds,
    PatchApplier patcher,
    ServerSideApply apply,
    AdmissionChain admission,
    CustomResources customResources,
    Clock clock,
    KubernetesVersion version) {}

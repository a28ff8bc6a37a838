package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.Annotations;
import io.berth.webhook.error.JsonPlace;
import io.berth.webhook.error.ObjectNames;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;

/**
 * The request of an AdmissionReview, version {@code admission.k8s.io/v1}.
 *
 * @param uid the request's UID, which the response must contain
 * @param operation CREATE, UPDATE, DELETE or CONNECT
 * @param kind the object's kind
 * @param namespace the namespace of the request; empty for cluster-scoped objects
 * @param name the object's name; empty if it is not generated yet
 * @param object the new object
 * @param oldObject the existing object; a missing node if there is none
 * @param username the name of the user who sent the request
 * @param dryRun whether nothing will be stored
 */
record AdmissionRequest(
    String uid,
    String operation,
    String kind,
    String namespace,
    String name,
    JsonNode object,
    JsonNode oldObject,
    String username,
    boolean dryRun) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The user names of the DaemonSet controller: with one ServiceAccount per controller, and
   * without.
   */
  private static final Set<String> DAEMON_SET_CONTROLLERS =
      Set.of(
          "system:serviceaccount:kube-system:daemon-set-controller",
          "system:kube-controller-manager");

  private static final String CONFIG_MAP = "ConfigMap";
  private static final String API_VERSION = "admission.k8s.io/v1";

  /**
   * Reads a review.
   *
   * @throws BadReviewException if the body is not a valid AdmissionReview, has no object although
   *     it is not a DELETE, or names a namespace that cannot exist, which would otherwise become
   *     part of the paths of requests to the API server
   */
  static AdmissionRequest read(byte[] body) throws BadReviewException {
    JsonNode review;
    try {
      review = JSON.readTree(body);
    } catch (IOException e) {
      throw new BadReviewException("the body is not JSON" + JsonPlace.of(e));
    }
    if (review == null
        || !review.path("kind").asText().equals("AdmissionReview")
        || !review.path("apiVersion").asText().equals(API_VERSION)) {
      throw new BadReviewException(
          "the body must be an AdmissionReview of "
              + API_VERSION
              + ": set admissionReviewVersions to [\"v1\"] in the webhook configuration");
    }
    JsonNode request = review.path("request");
    String uid = request.path("uid").asText("");
    if (uid.isEmpty()) {
      throw new BadReviewException("request.uid is missing: the response must contain it");
    }
    JsonNode object = request.path("object");
    String operation = request.path("operation").asText("").toUpperCase(Locale.ROOT);
    if (!object.isObject() && !operation.equals("DELETE")) {
      throw new BadReviewException("request.object is missing: there is nothing to review");
    }
    String namespace = request.path("namespace").asText("");
    if (!namespace.isEmpty() && !ObjectNames.isValid(namespace)) {
      throw new BadReviewException(
          "request.namespace is not the name of a namespace: " + ObjectNames.RULE);
    }
    return new AdmissionRequest(
        uid,
        operation,
        request.path("kind").path("kind").asText(""),
        namespace,
        request.path("name").asText(object.path("metadata").path("name").asText("")),
        object,
        request.path("oldObject"),
        request.path("userInfo").path("username").asText(""),
        request.path("dryRun").asBoolean(false));
  }

  /**
   * Returns whether the DaemonSet controller sent the request. Owner references to a DaemonSet from
   * other users are not trusted.
   */
  boolean isByDaemonSetController() {
    return DAEMON_SET_CONTROLLERS.contains(username);
  }

  /** Returns whether the object is being deleted and only waits for its finalizers. */
  boolean isBeingDeleted() {
    return !object.path("metadata").path("deletionTimestamp").asText("").isEmpty();
  }

  /**
   * Returns whether the request updates an object without changing its spec. The spec of a legacy
   * policy is what a ConfigMap contains while it has the label.
   */
  boolean keepsSpec() {
    if (!oldObject.isObject() || !object.path("spec").equals(oldObject.path("spec"))) {
      return false;
    }
    return !kind.equals(CONFIG_MAP)
        || (isLegacyPolicy(oldObject)
            && object.path("data").equals(oldObject.path("data"))
            && allowedNamespaces(object).equals(allowedNamespaces(oldObject)));
  }

  /** Returns whether the object is a ConfigMap that is not, or not any more, a legacy policy. */
  boolean isOtherConfigMap() {
    return kind.equals(CONFIG_MAP) && !isLegacyPolicy(object);
  }

  private static boolean isLegacyPolicy(JsonNode configMap) {
    JsonNode labels = configMap.path("metadata").path("labels");
    return labels.path(Annotations.LEGACY_POLICY_LABEL).asText("").equals("true");
  }

  private static JsonNode allowedNamespaces(JsonNode configMap) {
    return configMap.path("metadata").path("annotations").path(Annotations.ALLOWED_NAMESPACES);
  }
}

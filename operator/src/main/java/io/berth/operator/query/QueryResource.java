package io.berth.operator.query;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The resources of the group. */
enum QueryResource {
  DECISIONS("decisions", "decision", "Decision", true, false),
  POOLS("pools", "pool", "Pool", false, false),
  PENDING_REASONS("pendingreasons", "pendingreason", "PendingReason", false, false),
  PLACEMENT_REVIEWS("placementreviews", "placementreview", "PlacementReview", true, true),
  POLICY_REVIEWS("policyreviews", "policyreview", "PolicyReview", false, true),
  LOCAL_POLICY_REVIEWS("localpolicyreviews", "localpolicyreview", "LocalPolicyReview", true, true);

  /** The subresource of decisions about one node. */
  static final String NODES = "nodes";

  /** The kind of that subresource. */
  static final String NODE_VERDICT = "NodeVerdict";

  private final String plural;
  private final String singular;
  private final String kind;
  private final boolean namespaced;
  private final boolean review;

  QueryResource(String plural, String singular, String kind, boolean namespaced, boolean review) {
    this.plural = plural;
    this.singular = singular;
    this.kind = kind;
    this.namespaced = namespaced;
    this.review = review;
  }

  /** Returns the resource with this plural name. */
  static Optional<QueryResource> of(String plural) {
    return Arrays.stream(values()).filter(each -> each.plural.equals(plural)).findFirst();
  }

  String plural() {
    return plural;
  }

  String singular() {
    return singular;
  }

  String kind() {
    return kind;
  }

  boolean isNamespaced() {
    return namespaced;
  }

  List<String> verbs() {
    return review ? List.of("create") : List.of("get", "list", "watch");
  }

  /** Returns whether its objects are questions: they are created, and answered at once. */
  boolean isReview() {
    return review;
  }

  /** Returns the path of the collection in OpenAPI documents. */
  String path() {
    return QueryApi.ROOT + (namespaced ? "/namespaces/{namespace}/" : "/") + plural;
  }
}

package io.berth.sandbox.auth;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Authorizes requests with the Roles, ClusterRoles, RoleBindings, and ClusterRoleBindings in the
 * store. The rules of a caller are cached until one of these four resources changes.
 */
public final class RbacAuthorizer {
  private static final String GROUP = "rbac.authorization.k8s.io";

  private final ObjectStore store;
  private final ResourceType roles;
  private final ResourceType roleBindings;
  private final ResourceType clusterRoles;
  private final ResourceType clusterRoleBindings;
  private final Map<String, Gathered> byCaller = new ConcurrentHashMap<>();

  /** Creates an authorizer over the RBAC objects of a store. */
  public RbacAuthorizer(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.roles = registry.builtIn(GROUP, "roles");
    this.roleBindings = registry.builtIn(GROUP, "rolebindings");
    this.clusterRoles = registry.builtIn(GROUP, "clusterroles");
    this.clusterRoleBindings = registry.builtIn(GROUP, "clusterrolebindings");
  }

  /** A rule and the namespace it applies to; an empty namespace means the whole cluster. */
  private record Granted(String namespace, JsonNode rule) {}

  private record Gathered(long version, List<Granted> granted) {}

  /**
   * Rejects an access that no rule allows.
   *
   * @throws ApiException 403, with the real API server's message
   */
  public void require(Caller caller, Access access) {
    if (!allows(caller, access)) {
      throw refusal(caller, access);
    }
  }

  /** Returns whether a rule allows the access. */
  public boolean allows(Caller caller, Access access) {
    if (caller.groups().contains("system:masters")) {
      return true;
    }
    for (Granted granted : gather(caller)) {
      boolean reaches =
          granted.namespace().isEmpty() || granted.namespace().equals(access.namespace());
      if (reaches
          && (granted.namespace().isEmpty() || access.path().isEmpty())
          && allows(granted.rule(), access)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the rules that apply to a caller in a namespace. */
  public List<JsonNode> rules(Caller caller, String namespace) {
    List<JsonNode> rules = new ArrayList<>();
    for (Granted granted : gather(caller)) {
      if (granted.namespace().isEmpty() || granted.namespace().equals(namespace)) {
        rules.add(granted.rule());
      }
    }
    return rules;
  }

  private List<Granted> gather(Caller caller) {
    long version =
        Math.max(
            Math.max(store.lastChange(roles.storage()), store.lastChange(roleBindings.storage())),
            Math.max(
                store.lastChange(clusterRoles.storage()),
                store.lastChange(clusterRoleBindings.storage())));
    String key = caller.name() + caller.groups();
    Gathered known = byCaller.get(key);
    if (known == null || known.version() != version) {
      known = new Gathered(version, read(caller));
      byCaller.put(key, known);
    }
    return known.granted();
  }

  private List<Granted> read(Caller caller) {
    List<Granted> granted = new ArrayList<>();
    for (StoredObject binding : store.list(clusterRoleBindings.storage(), null).objects()) {
      if (names(binding.json(), caller, "")) {
        addRules(binding.json().path("roleRef"), "", granted);
      }
    }
    for (StoredObject binding : store.list(roleBindings.storage(), null).objects()) {
      if (names(binding.json(), caller, binding.key().namespace())) {
        addRules(binding.json().path("roleRef"), binding.key().namespace(), granted);
      }
    }
    return List.copyOf(granted);
  }

  private void addRules(JsonNode roleRef, String namespace, List<Granted> granted) {
    String name = roleRef.path("name").asText();
    ResourceType type = roleRef.path("kind").asText().equals("Role") ? roles : clusterRoles;
    ObjectKey key = type.key(namespace, name);
    store
        .get(type.storage(), key)
        .ifPresent(
            role ->
                role.json()
                    .path("rules")
                    .forEach(rule -> granted.add(new Granted(namespace, rule))));
  }

  private static boolean names(JsonNode binding, Caller caller, String bindingNamespace) {
    for (JsonNode subject : binding.path("subjects")) {
      String name = subject.path("name").asText();
      boolean same =
          switch (subject.path("kind").asText()) {
            case "User" -> caller.name().equals(name);
            case "Group" -> caller.groups().contains(name);
            case "ServiceAccount" ->
                caller
                    .name()
                    .equals(
                        "system:serviceaccount:"
                            + subject.path("namespace").asText(bindingNamespace)
                            + ":"
                            + name);
            default -> false;
          };
      if (same) {
        return true;
      }
    }
    return false;
  }

  private static boolean allows(JsonNode rule, Access access) {
    if (!lists(rule.path("verbs"), access.verb())) {
      return false;
    }
    if (!access.path().isEmpty()) {
      return matchesPath(rule.path("nonResourceURLs"), access.path());
    }
    return lists(rule.path("apiGroups"), access.group())
        && matchesResource(rule.path("resources"), access)
        && (rule.path("resourceNames").isEmpty()
            || contains(rule.path("resourceNames"), access.name()));
  }

  private static boolean matchesResource(JsonNode resources, Access access) {
    for (JsonNode resource : resources) {
      String text = resource.asText();
      if (text.equals("*")
          || text.equals(access.fullResource())
          || (!access.subresource().isEmpty() && text.equals("*/" + access.subresource()))) {
        return true;
      }
    }
    return false;
  }

  private static boolean matchesPath(JsonNode paths, String path) {
    for (JsonNode each : paths) {
      String text = each.asText();
      if (text.equals(path)
          || (text.endsWith("*") && path.startsWith(text.substring(0, text.length() - 1)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean lists(JsonNode list, String value) {
    return contains(list, "*") || contains(list, value);
  }

  private static boolean contains(JsonNode list, String value) {
    for (JsonNode each : list) {
      if (each.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static ApiException refusal(Caller caller, Access access) {
    String user = "User \"" + caller.name() + "\" cannot ";
    if (!access.path().isEmpty()) {
      return Failures.forbiddenPath(user + access.verb() + " path \"" + access.path() + "\"");
    }
    String where =
        access.namespace().isEmpty()
            ? "at the cluster scope"
            : "in the namespace \"" + access.namespace() + "\"";
    return Failures.forbidden(
        access.group().isEmpty() ? access.resource() : access.resource() + "." + access.group(),
        access.name(),
        user
            + access.verb()
            + " resource \""
            + access.fullResource()
            + "\" in API group \""
            + access.group()
            + "\" "
            + where);
  }
}

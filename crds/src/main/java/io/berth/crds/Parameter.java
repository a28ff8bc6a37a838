package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A declared parameter of a config and its allowed values. */
@ValidationRule(
    value = "!has(self.minimum) && !has(self.maximum) || self.type == 'integer'",
    message = "minimum and maximum are for parameters of type integer")
@ValidationRule(
    value = "!has(self.minimum) || !has(self.maximum) || self.minimum <= self.maximum",
    message = "minimum must not be greater than maximum")
@ValidationRule(
    value = "!has(self.pattern) || self.type == 'string' || self.type == 'stringList'",
    message = "pattern is for parameters of type string or stringList")
@ValidationRule(
    value = "!has(self.enum) || self.type != 'boolean'",
    message = "enum is not for parameters of type boolean: remove it")
@Part
public record Parameter(
    @JsonPropertyDescription("The name of the parameter. Templates refer to it as ${Name}.")
        @Required
        @Size(min = 1, max = 63)
        @Pattern("^[A-Za-z_][A-Za-z0-9_]*$")
        String name,
    @JsonPropertyDescription(
            "The type of the argument: string, integer, boolean, or stringList. A stringList"
                + " expands into the list in which it is used.")
        @Default("string")
        ParameterType type,
    @JsonPropertyDescription(
            "Specifies whether an argument is required. A required parameter needs no default.")
        @Default("false")
        Boolean required,
    @JsonPropertyDescription(
            "The value to use if no argument is given. It must be of the parameter's type.")
        @JsonProperty("default")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable JsonNode defaultValue,
    @JsonPropertyDescription(
            "The allowed values. For a stringList, they apply to each item. If not specified, all"
                + " values of the type are allowed.")
        @JsonProperty("enum")
        @Size(max = 256)
        List<IntOrString> allowedValues,
    @JsonPropertyDescription(
            "The regular expression (RE2 syntax) that the whole string, or each item of a"
                + " stringList, must match.")
        @Size(max = 1024)
        @Nullable String pattern,
    @JsonPropertyDescription("The minimum value of an integer.") @Nullable Long minimum,
    @JsonPropertyDescription("The maximum value of an integer.") @Nullable Long maximum,
    @JsonPropertyDescription("A description of the parameter for its users.") @Size(max = 1024)
        @Nullable String description) {

  public Parameter {
    allowedValues = Absent.emptyIfNull(allowedValues);
    type = Absent.orElse(type, ParameterType.STRING);
    required = Absent.orElse(required, false);
  }
}

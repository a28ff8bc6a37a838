{{/* The image, by digest where one is given. */}}
{{- define "berth.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Requests and limits: those of the cluster's size, unless resources gives others. */}}
{{- define "berth.resources" -}}
{{- if .Values.resources -}}
{{ toYaml .Values.resources }}
{{- else -}}
{{ toYaml (index .Values.resourcesBySize .Values.clusterSize) }}
{{- end -}}
{{- end }}

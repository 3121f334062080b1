{{/* The name of all resources: that of the release, and "muster" where that does not have it. */}}
{{- define "muster.name" -}}
{{- $name := contains "muster" .Release.Name | ternary .Release.Name (printf "%s-muster" .Release.Name) -}}
{{- $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* What never changes, so that a Deployment can be upgraded. */}}
{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "muster.secret" -}}
{{- required "Set existingSecret to the name of a Secret with the keys DATABASE_URL and ADMIN_TOKEN." .Values.existingSecret -}}
{{- end -}}

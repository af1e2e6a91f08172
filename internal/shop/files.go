package shop

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Receipt says what arrived of a file.
type Receipt struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   string `json:"sum"` // SHA-256, in hexadecimal
}

// filed is when every file was last changed.
var filed = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (s *Shop) takeFile(w http.ResponseWriter, r *http.Request) {
	sum, n, err := Sum(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, http.StatusCreated, Receipt{r.PathValue("name"), n, sum})
}

// takeForm takes the first file of a form, and never has it in memory.
func (s *Shop) takeForm(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if part.FileName() == "" {
			continue
		}
		sum, n, err := Sum(part)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, http.StatusCreated, Receipt{part.FileName(), n, sum})
		return
	}
}

// giveFile gives a file of as many bytes as its name says, or parts of it.
func (s *Shop) giveFile(w http.ResponseWriter, r *http.Request) {
	size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
	if err != nil || size < 0 {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="toy.bin"`)
	h.Set("ETag", `"toy-`+r.PathValue("size")+`"`)
	http.ServeContent(w, r, "", filed, File(size))
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who has left misses it
}
